import { isJsonObject, type JsonObject, type JsonValue, type Operation, parseWhere } from "@purse/protocol";
import type { UploadedPart } from "../../core/s3/bucket.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, findRows, getRow, serverQuery } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import type { StoredUsage, UploadOwner } from "./uploadQuota.ts";
import type { UploadDescription } from "./uploadStorage.ts";

/** The state of a resumable upload in a bucket. */
export interface UploadRecord extends UploadDescription {
  /** The time of the last change (ISO), which a change expects. */
  updatedAt: string;
  /** The multipart upload, once there is a part. */
  multipartId?: string;
  parts: UploadedPart[];
  /** Bytes after the last part, which are stored as an object. */
  tailSize: number;
  /** Whether S3 has joined the parts. */
  isJoined: boolean;
  /** The saved file, as JSON. */
  saved?: string;
}

/** The name begins like those of the admin API, which no other API can access. */
const CLASS = "_StudioUpload";
const FIELDS = {
  owner: { type: "String" },
  countedFor: { type: "String" },
  length: { type: "Number" },
  description: { type: "String" },
  expiresAt: { type: "Number" },
  multipartId: { type: "String" },
  parts: { type: "Array" },
  tailSize: { type: "Number" },
  isJoined: { type: "Boolean" },
  isSaved: { type: "Boolean" },
  saved: { type: "String" },
} as const satisfies ClassSchema["fields"];

/** Number of expired uploads that are found at once. */
export const EXPIRED_PAGE = 100;

/** The states of resumable uploads in the database, for all servers. */
export class UploadRecords {
  readonly #store: Store;
  readonly #schema: ClassSchema;

  constructor(store: Store, schema: ClassSchema) {
    this.#store = store;
    this.#schema = schema;
  }

  static async open(store: Store): Promise<UploadRecords> {
    const schema = await store.changeClass(
      CLASS,
      (current) =>
        current ?? {
          className: CLASS,
          table: CLASS,
          fields: { ...FIELDS },
          classLevelPermissions: {},
          indexes: { isSaved: { isSaved: 1 }, expiresAt: { expiresAt: 1 } },
        },
    );
    return new UploadRecords(store, schema);
  }

  async create(id: string, upload: UploadDescription): Promise<void> {
    const { owner, countedFor, length, expiresAt, ...description } = upload;
    const fields: JsonObject = {
      owner,
      ...(countedFor !== undefined && { countedFor }),
      length,
      description: JSON.stringify(description),
      expiresAt,
      parts: [],
      tailSize: 0,
      isJoined: false,
      isSaved: false,
    };
    await this.#store.write([createRow(this.#schema, id, this.#store.now(), fields)]);
  }

  async find(id: string): Promise<UploadRecord | undefined> {
    const row = await getRow(this.#store, this.#schema, id);
    return row && parseRecord(row);
  }

  /** Changes a record. Throws 409 if it was changed since it was read; `record` then has the new values. */
  async update(id: string, record: UploadRecord, changes: Partial<UploadRecord>): Promise<void> {
    // A later time, also if both changes happen within a millisecond.
    const at = new Date(Math.max(this.#store.now(), Date.parse(record.updatedAt) + 1)).toISOString();
    const operations: Record<string, Operation> = {};
    for (const [key, value] of Object.entries(changes)) operations[key] = { op: "Set", value: toJson(value) };
    if (changes.saved !== undefined) operations.isSaved = { op: "Set", value: true };
    await this.#store.write([
      {
        kind: "update",
        schema: this.#schema,
        id,
        at,
        operations,
        subjects: null,
        ifUpdatedAt: record.updatedAt,
      },
    ]);
    Object.assign(record, changes, { updatedAt: at });
  }

  async remove(id: string): Promise<void> {
    await this.#store.write([{ kind: "delete", schema: this.#schema, id, subjects: null }]);
  }

  /** What is stored of unfinished uploads: of an owner, and of all. */
  async usage(owner: UploadOwner | undefined): Promise<{ owner: StoredUsage; all: StoredUsage }> {
    const rows = await this.#store.group(
      serverQuery(this.#schema, { where: parseWhere({ isSaved: false }) }),
      { keys: [["countedFor"]], aggregates: [{ fn: "count" }, { fn: "sum", path: ["length"] }] },
    );
    const usages = rows.map(({ keys: [key], aggregates: [uploads, bytes] }) => ({
      key,
      uploads: uploads ?? 0,
      bytes: bytes ?? 0,
    }));
    const own = usages.find(({ key }) => owner !== undefined && key === owner.key);
    return {
      owner: { uploads: own?.uploads ?? 0, bytes: own?.bytes ?? 0 },
      all: {
        uploads: usages.reduce((total, { uploads }) => total + uploads, 0),
        bytes: usages.reduce((total, { bytes }) => total + bytes, 0),
      },
    };
  }

  /** The ids of some uploads that expired before a time, in ms since the epoch. */
  async findExpired(now: number): Promise<string[]> {
    const where = parseWhere({ expiresAt: { $lt: now } });
    const rows = await findRows(this.#store, this.#schema, { where, limit: EXPIRED_PAGE });
    return rows.map(({ objectId }) => String(objectId));
  }
}

function toJson(value: unknown): JsonValue {
  const json: JsonValue = JSON.parse(JSON.stringify(value));
  return json;
}

function parseRecord(object: JsonObject): UploadRecord {
  const { owner, countedFor, length, description, expiresAt, updatedAt, multipartId, tailSize, saved } =
    object;
  const known: Pick<UploadDescription, "name" | "contentType" | "fileData"> = JSON.parse(String(description));
  return {
    ...known,
    owner: String(owner),
    ...(typeof countedFor === "string" && { countedFor }),
    length: Number(length),
    expiresAt: Number(expiresAt),
    updatedAt: String(updatedAt),
    ...(typeof multipartId === "string" && { multipartId }),
    parts: parseParts(object.parts),
    tailSize: Number(tailSize),
    isJoined: object.isJoined === true,
    ...(typeof saved === "string" && { saved }),
  };
}

function parseParts(parts: JsonValue | undefined): UploadedPart[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) =>
    isJsonObject(part) ? [{ etag: String(part.etag), size: Number(part.size) }] : [],
  );
}
