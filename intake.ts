import {
  assertFieldName,
  assertStorable,
  type JsonObject,
  type Operation,
  ProtocolError,
  parseAcl,
} from "@purse/protocol";
import type { ClassSchema } from "../schema/classSchema.ts";
import { COMMON_FIELDS } from "../schema/describe.ts";
import { editClass } from "../schema/editClass.ts";
import type { Schemas } from "../schema/schemas.ts";
import { ClaimTaken, type Store, type Write } from "../store/store.ts";
import { claimsOf, type HeldClaim, REBUILT_SCOPES } from "./claims.ts";
import type { Progress } from "./progress.ts";
import type { MovingRecord } from "./records.ts";

export interface ImportOptions {
  store: Store;
  schemas: Schemas;
  progress: Progress;
  /** Told of lines that cannot be taken in; without one the first of them ends the import. */
  onBad?: ((line: number, text: string, reason: string) => void) | undefined;
  /** Told of values that somebody else holds already: they stay theirs. */
  onConflict?: ((conflict: Conflict) => void) | undefined;
}

/** `owner` should hold the value, and `heldBy` does. */
export interface Conflict extends HeldClaim {
  heldBy: string;
}

/** What belongs together: it is written as a whole. */
interface Group {
  writes: Write[];
  /** Whether the rest is of use where one of its claims is somebody else's. */
  needsClaims: boolean;
}

/** Ids of people stand in ACLs. */
const USER_ID = /^[0-9A-Za-z_-]{1,128}$/;

/** Checks records, collects them into steps and writes them batch by batch. */
export class Intake {
  readonly #options: ImportOptions;
  #groups: Group[] = [];
  #size = 0;
  /** How many values were somebody else's. */
  conflicts = 0;

  constructor(options: ImportOptions) {
    this.#options = options;
  }

  /** Steps that wait to be written. */
  get size(): number {
    return this.#size;
  }

  /** Throws what is wrong with a record; then nothing of it has been taken in. */
  async add(record: MovingRecord): Promise<void> {
    switch (record.kind) {
      case "header":
        return;
      case "class":
        await this.write();
        await addClass(record.schema, this.#options.schemas);
        return;
      case "object":
        return this.#addObject(record);
      case "relation": {
        const schema = this.#schemaOf(record.className);
        const { className, owner: id, key, related: add } = record;
        const field = Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
        if (field?.type !== "Relation") throw new Error(`${className} has no relation ${key}`);
        this.#push({ writes: [{ kind: "relate", schema, id, key, add, remove: [] }], needsClaims: false });
        return;
      }
      case "claim":
        // Those of objects come with them.
        if (!REBUILT_SCOPES.has(record.scope)) this.#push({ writes: [record], needsClaims: true });
    }
  }

  async #addObject({
    className,
    object,
    secret = {},
  }: Extract<MovingRecord, { kind: "object" }>): Promise<void> {
    this.#schemaOf(className);
    const id = String(object.objectId);
    if (className === "_User" && !USER_ID.test(id)) throw new Error(`${id} cannot be the id of a user`);
    const schema = await this.#options.schemas.forWrite(className, operationsOf(object), () => undefined);
    if (object.ACL !== undefined) parseAcl(object.ACL);
    const claims = claimsOf(className, object);
    // An earlier state of the object may hold other names.
    const scopes = className === "_EthAddress" ? [] : new Set(claims.map(({ scope }) => scope));
    this.#push({
      writes: [
        { kind: "restore", schema, id, object, secret },
        ...[...scopes].map((scope): Write => ({ kind: "releaseAll", scope, owner: id })),
        ...claims.map((claim): Write => ({ kind: "claim", ...claim })),
      ],
      // The record of somebody else's wallet would contradict its owner's.
      needsClaims: className === "_EthAddress",
    });
  }

  #push(group: Group): void {
    this.#groups.push(group);
    this.#size += group.writes.length;
  }

  async write(): Promise<void> {
    const groups = this.#groups;
    this.#groups = [];
    this.#size = 0;
    await this.#writeGroups(groups);
  }

  /** Where a value is somebody else's, halves are tried, so that the others still go many at a time. */
  async #writeGroups(groups: Group[]): Promise<void> {
    const [first] = groups;
    if (!first) return;
    try {
      await this.#options.store.write(groups.flatMap(({ writes }) => writes));
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
      if (groups.length === 1) return this.#writeWithout(first, error);
      const middle = Math.ceil(groups.length / 2);
      await this.#writeGroups(groups.slice(0, middle));
      await this.#writeGroups(groups.slice(middle));
    }
  }

  /** A value that somebody else holds must not keep out what came with it. */
  async #writeWithout({ writes, needsClaims }: Group, { scope, value, owner }: ClaimTaken): Promise<void> {
    const isTaken = (write: Write) =>
      write.kind === "claim" && write.scope === scope && write.value === value;
    const taken = writes.find(isTaken);
    const wanted = taken?.kind === "claim" ? taken.owner : "";
    this.conflicts += 1;
    this.#options.onConflict?.({ scope, value, owner: wanted, heldBy: owner });
    if (needsClaims) return;
    await this.#writeGroups([{ writes: writes.filter((write) => !isTaken(write)), needsClaims }]);
  }

  #schemaOf(className: string): ClassSchema {
    const schema = this.#options.schemas.get(className);
    if (schema) return schema;
    throw new Error(`class ${className} has not come before its objects`);
  }
}

/** Checks names and values as if they came by the door. */
function operationsOf(object: JsonObject): Record<string, Operation> {
  const operations: Record<string, Operation> = {};
  for (const [name, value] of Object.entries(object)) {
    if (Object.hasOwn(COMMON_FIELDS, name)) continue;
    assertFieldName(name);
    assertStorable(value);
    operations[name] = { op: "Set", value };
  }
  return operations;
}

/** Fields and indexes are added to what is there; permissions are set where there are none. */
async function addClass(
  { className, fields, classLevelPermissions, indexes, definedIndexes }: ClassSchema,
  schemas: Schemas,
): Promise<void> {
  await schemas.change(className, (known) => {
    const isOpen = Object.keys(known.classLevelPermissions).length === 0;
    const setsPermissions = isOpen && Object.keys(classLevelPermissions).length > 0;
    const edit = {
      fields: without(fields, COMMON_FIELDS),
      indexes: without(indexes, known.indexes),
      ...(setsPermissions && { classLevelPermissions }),
    };
    const edited = editClass(known, JSON.parse(JSON.stringify(edit)), []);
    return definedIndexes && !known.definedIndexes ? { ...edited, definedIndexes } : edited;
  });
}

function without<T>(values: Record<string, T>, known: Readonly<Record<string, unknown>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(known, name)));
}

/** What is wrong, for people; anything else than a refusal of the data is thrown on. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProtocolError || error instanceof Error) return error.message;
  throw error;
}
