import { createHash } from "node:crypto";
import { isWireDate, type JsonObject, type JsonValue, wireDate } from "@purse/protocol";
import { createSecret } from "../../core/secret.ts";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, findRows, getRow, updateRow } from "../../database/serverRows.ts";
import { type Store, UniqueConstraintError } from "../../database/store.ts";

/** An API key's record. The key itself is shown once and never stored. */
export interface ApiKey {
  id: string;
  name: string | undefined;
  /** Requests per minute; undefined for the server's default. */
  limit: number | undefined;
  createdAt: Date;
  /** With a resolution of one minute. */
  lastUsedAt: Date | undefined;
  revokedAt: Date | undefined;
}

export interface NewApiKey {
  name?: string | undefined;
  /** Requests per minute. */
  limit?: number | undefined;
  /** An existing key of at least 20 characters; generated if undefined. */
  key?: string | undefined;
}

export interface ApiKeysDependencies {
  store: Store;
  /** The schema of `_ApiKey`. */
  schemaOf(): ClassSchema;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Called if the last use of a key could not be recorded. */
  onError(error: unknown): void;
}

/** Scopes of the unique keys; the owner is the ID of the API key. */
const UNIQUE_KEYS = { hash: "_ApiKey", name: "_ApiKey.name" } as const;
/** Message to the other processes after keys have changed. */
const MESSAGE = "apiKeys:";
/** Lifetime of cached keys in ms, for changes without a message: by another program on the same SQLite file. */
const CACHE_TTL_MS = 5_000;
const MAX_CACHED = 10_000;
const LAST_USED_RESOLUTION_MS = 60_000;
const MIN_LENGTH = 20;
const MAX_LENGTH = 512;
const MAX_NAME_LENGTH = 100;

/** The API keys of the data API. Only hashes are stored; lookups are cached briefly. */
export class ApiKeys {
  readonly #dependencies: ApiKeysDependencies;
  /** By the key's hash. Unknown keys are cached too, so that guesses do not reach the database each time. */
  readonly #cache = new Map<string, { key: ApiKey | undefined; staleAt: number }>();
  /** When this process last recorded the use of a key, by the key's ID. */
  readonly #lastUsed = new Map<string, number>();
  #hasKeys: { value: boolean; staleAt: number } | undefined;
  readonly #unsubscribe: () => void;

  constructor(dependencies: ApiKeysDependencies) {
    this.#dependencies = dependencies;
    this.#unsubscribe = dependencies.store.subscribe((message) => {
      if (message === undefined || message.startsWith(MESSAGE)) this.#clearCache();
    });
  }

  /** Creates a key. Throws Error if the values are not valid, or if the key or its name exists. */
  async create({ name, limit, key = createSecret(32) }: NewApiKey = {}): Promise<{
    key: string;
    id: string;
  }> {
    assertKey(key);
    if (name !== undefined) assertName(name);
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1_000_000_000))
      throw new Error("The limit must be a whole number from 1: requests per minute");
    const { store, schemaOf, clock } = this.#dependencies;
    const id = newObjectId();
    const fields: JsonObject = {
      ...(name !== undefined && { name }),
      ...(limit !== undefined && { limit }),
      ACL: {},
    };
    try {
      await store.write([
        createRow(schemaOf(), id, clock(), fields),
        { kind: "reserveUnique", scope: UNIQUE_KEYS.hash, value: hashOf(key), owner: id },
        ...(name === undefined
          ? []
          : [{ kind: "reserveUnique" as const, scope: UNIQUE_KEYS.name, value: name, owner: id }]),
      ]);
    } catch (error) {
      if (!(error instanceof UniqueConstraintError)) throw error;
      throw new Error(
        error.scope === UNIQUE_KEYS.name
          ? `A key named "${name}" already exists: revoke it first, or choose another name`
          : "This key already exists",
      );
    }
    await this.#publishChange();
    return { key, id };
  }

  /** All keys, including revoked ones, oldest first. */
  async list(): Promise<ApiKey[]> {
    const { store, schemaOf } = this.#dependencies;
    const rows = await findRows(store, schemaOf(), { order: "createdAt" });
    return rows.map(toKey);
  }

  /** Revokes a key permanently. Throws Error if no active key has this ID or name. */
  async revoke(idOrName: string): Promise<ApiKey> {
    const { store, schemaOf, clock } = this.#dependencies;
    const id = (await store.getUniqueOwner(UNIQUE_KEYS.name, idOrName)) ?? idOrName;
    const row = await getRow(store, schemaOf(), id);
    if (!row) throw new Error(`The key "${idOrName}" does not exist: \`keys list\` shows all keys`);
    const key = toKey(row);
    if (key.revokedAt !== undefined) throw new Error(`The key "${idOrName}" is already revoked`);
    const now = new Date(clock());
    await store.write([
      updateRow(schemaOf(), id, now.getTime(), { revokedAt: wireDate(now) }),
      { kind: "releaseAllUnique", scope: UNIQUE_KEYS.name, owner: id },
      { kind: "releaseAllUnique", scope: UNIQUE_KEYS.hash, owner: id },
    ]);
    await this.#publishChange();
    return { ...key, revokedAt: now };
  }

  /** Looks up the key that a client sent and records its use; undefined if it is not valid. */
  async authenticate(text: string): Promise<ApiKey | undefined> {
    if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) return undefined;
    const { store, schemaOf, clock } = this.#dependencies;
    const hash = hashOf(text);
    let cached = this.#cache.get(hash);
    if (!cached || cached.staleAt <= clock()) {
      const staleAt = clock() + CACHE_TTL_MS;
      const id = await store.getUniqueOwner(UNIQUE_KEYS.hash, hash);
      const row = id === undefined ? undefined : await getRow(store, schemaOf(), id);
      const key = row && toKey(row);
      cached = { key: key?.revokedAt === undefined ? key : undefined, staleAt };
      if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
      this.#cache.set(hash, cached);
    }
    if (cached.key) this.#recordUse(cached.key);
    return cached.key;
  }

  /** Whether any key was ever created, including revoked ones. */
  async hasKeys(): Promise<boolean> {
    const { store, schemaOf, clock } = this.#dependencies;
    if (this.#hasKeys && this.#hasKeys.staleAt > clock()) return this.#hasKeys.value;
    const staleAt = clock() + CACHE_TTL_MS;
    const found = await findRows(store, schemaOf(), { limit: 1 });
    this.#hasKeys = { value: found.length > 0, staleAt };
    return this.#hasKeys.value;
  }

  close(): void {
    this.#unsubscribe();
  }

  /** Updates `lastUsedAt` in the background, at most once a minute. */
  #recordUse({ id, lastUsedAt }: ApiKey): void {
    const { store, schemaOf, clock } = this.#dependencies;
    const now = clock();
    if (now - (this.#lastUsed.get(id) ?? lastUsedAt?.getTime() ?? 0) < LAST_USED_RESOLUTION_MS) return;
    if (this.#lastUsed.size >= MAX_CACHED) this.#lastUsed.clear();
    this.#lastUsed.set(id, now);
    const fields = { lastUsedAt: wireDate(new Date(now)) };
    store.write([updateRow(schemaOf(), id, now, fields)]).catch(this.#dependencies.onError);
  }

  #clearCache(): void {
    this.#cache.clear();
    this.#hasKeys = undefined;
  }

  async #publishChange(): Promise<void> {
    this.#clearCache();
    await this.#dependencies.store.publish(MESSAGE);
  }
}

function assertKey(key: string): void {
  if (key.length >= MIN_LENGTH && key.length <= MAX_LENGTH && /^[\x21-\x7e]+$/.test(key)) return;
  throw new Error(
    `A key must have ${MIN_LENGTH} to ${MAX_LENGTH} printable ASCII characters, without spaces`,
  );
}

function assertName(name: string): void {
  const isValid = name.trim() === name && name !== "" && name.length <= MAX_NAME_LENGTH;
  if (isValid && !/\p{Cc}/u.test(name)) return;
  throw new Error(`A name must have 1 to ${MAX_NAME_LENGTH} characters, without leading or trailing spaces`);
}

function toKey(object: JsonObject): ApiKey {
  return {
    id: String(object.objectId),
    name: typeof object.name === "string" ? object.name : undefined,
    limit: typeof object.limit === "number" ? object.limit : undefined,
    createdAt: new Date(String(object.createdAt)),
    lastUsedAt: dateOf(object.lastUsedAt),
    revokedAt: dateOf(object.revokedAt),
  };
}

function dateOf(value: JsonValue | undefined): Date | undefined {
  return isWireDate(value) ? new Date(value.iso) : undefined;
}

/** Keys are long and random, so a plain hash is sufficient, and allows lookups. */
function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
