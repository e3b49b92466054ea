import { createHash } from "node:crypto";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError, parseWhere } from "@purse/protocol";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { findRows, getRow, updateRow } from "../../database/serverRows.ts";
import type { Store, Write } from "../../database/store.ts";

/** A stored passkey. */
export interface Passkey {
  id: string;
  /** ID of the account that it signs in to. */
  owner: string;
  name: string;
  /** Base64url, as the key. */
  credentialId: string;
  publicKey: string;
  /** Signature counter; 0 for authenticators without one. */
  counter: number;
  transports: string[];
  /** Whether it can be copied to other devices, and whether it has been. */
  isSyncable: boolean;
  isBackedUp: boolean;
  /** ISO. */
  createdAt: string;
  updatedAt: string;
  lastUsedAt: string | undefined;
}

/** The properties of a new passkey. */
export type NewPasskey = Omit<Passkey, "id" | "createdAt" | "updatedAt" | "lastUsedAt">;

/** What changes with a use. */
export type PasskeyUse = Pick<Passkey, "counter" | "isSyncable" | "isBackedUp">;

export interface PasskeyRecordOptions {
  store: Pick<Store, "get" | "find" | "write" | "getUniqueOwner">;
  /** The class in which passkeys are stored. */
  schema(): ClassSchema;
  /** Scope of the unique credential IDs. */
  scope: string;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/** Maximum number of passkeys of one account. */
export const MAX_PASSKEYS = 50;
const MAX_PASSKEY_NAME_LENGTH = 100;

/** The stored passkeys of the accounts of one kind: users or operators. */
export class PasskeyRecords {
  readonly #options: PasskeyRecordOptions;

  constructor(options: PasskeyRecordOptions) {
    this.#options = options;
  }

  /** The scope of the conflict of a credential that is registered already. */
  get scope(): string {
    return this.#options.scope;
  }

  async list(owner: string): Promise<Passkey[]> {
    const rows = await findRows(this.#options.store, this.#options.schema(), {
      where: parseWhere({ owner }),
      order: "createdAt",
      limit: MAX_PASSKEYS,
    });
    return rows.map(toPasskey);
  }

  async findByCredential(credentialId: string): Promise<Passkey | undefined> {
    const id = await this.#options.store.getUniqueOwner(this.#options.scope, keyOf(credentialId));
    return id === undefined ? undefined : this.#get(id);
  }

  /** Throws 101 unless the account has the passkey. */
  async require(owner: string, id: string): Promise<Passkey> {
    const passkey = await this.#get(id);
    if (passkey?.owner === owner) return passkey;
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The passkey does not exist.");
  }

  /** A new passkey and the writes that store it, which fail if the credential is registered already. */
  create(properties: NewPasskey): { passkey: Passkey; writes: Write[] } {
    const id = newObjectId();
    const at = this.#now();
    const passkey = { ...properties, id, createdAt: at, updatedAt: at, lastUsedAt: undefined };
    const { lastUsedAt: _, id: objectId, ...fields } = passkey;
    return {
      passkey,
      writes: [
        { kind: "reserveUnique", scope: this.#options.scope, value: keyOf(passkey.credentialId), owner: id },
        { kind: "create", schema: this.#options.schema(), id, at, object: { ...fields, objectId, ACL: {} } },
      ],
    };
  }

  /** Writes that record a use. With a signature counter, of two concurrent uses only one succeeds. */
  useWrites({ id, updatedAt }: Passkey, use: PasskeyUse): Write[] {
    const lastUsedAt = this.#now();
    // The update is later than the one before, even within the same millisecond, so that the other use conflicts.
    const at = new Date(Math.max(this.#options.clock(), Date.parse(updatedAt) + 1)).toISOString();
    const fields = { ...use, lastUsedAt };
    return [{ ...this.#update(id, fields), at, ...(use.counter > 0 && { ifUpdatedAt: updatedAt }) }];
  }

  async rename({ id }: Passkey, name: string): Promise<void> {
    await this.#options.store.write([this.#update(id, { name })]);
  }

  removeWrites({ id, credentialId }: Pick<Passkey, "id" | "credentialId">): Write[] {
    return [
      { kind: "delete", schema: this.#options.schema(), id, subjects: null },
      this.releaseWrite(credentialId),
    ];
  }

  /** Write that lets a credential be registered again. */
  releaseWrite(credentialId: string): Write {
    return { kind: "releaseUnique", scope: this.#options.scope, value: keyOf(credentialId) };
  }

  async #get(id: string): Promise<Passkey | undefined> {
    const row = await getRow(this.#options.store, this.#options.schema(), id);
    return row && toPasskey(row);
  }

  #update(id: string, fields: JsonObject): Extract<Write, { kind: "update" }> {
    return updateRow(this.#options.schema(), id, this.#options.clock(), fields);
  }

  #now(): string {
    return new Date(this.#options.clock()).toISOString();
  }
}

/** Checks the name of a passkey. Throws 142. */
export function parsePasskeyName(value: JsonValue | undefined, fallback: string): string {
  if (value === undefined || value === null) return fallback;
  const name = typeof value === "string" ? value.trim() : "";
  if (name !== "" && name.length <= MAX_PASSKEY_NAME_LENGTH) return name;
  throw new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    `The name of a passkey has 1 to ${MAX_PASSKEY_NAME_LENGTH} characters.`,
  );
}

/** What an account sees of its passkey. */
export function describePasskey(passkey: Passkey): JsonObject {
  const { id, credentialId, name, createdAt, lastUsedAt, transports, isSyncable, isBackedUp } = passkey;
  return {
    objectId: id,
    credentialId,
    name,
    createdAt,
    ...(lastUsedAt !== undefined && { lastUsedAt }),
    transports,
    isSyncable,
    isBackedUp,
  };
}

function toPasskey(object: JsonObject): Passkey {
  const { objectId, owner, name, credentialId, publicKey, counter, transports, lastUsedAt } = object;
  return {
    id: String(objectId),
    owner: String(owner),
    name: String(name),
    credentialId: String(credentialId),
    publicKey: String(publicKey),
    counter: Number(counter),
    transports: Array.isArray(transports) ? transports.map(String) : [],
    isSyncable: object.isSyncable === true,
    isBackedUp: object.isBackedUp === true,
    createdAt: String(object.createdAt),
    updatedAt: String(object.updatedAt),
    lastUsedAt: typeof lastUsedAt === "string" ? lastUsedAt : undefined,
  };
}

/** Credential IDs are up to a kilobyte long. */
function keyOf(credentialId: string): string {
  return createHash("sha256").update(credentialId).digest("base64url");
}
