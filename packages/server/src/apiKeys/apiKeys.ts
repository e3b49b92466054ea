import { createHash, randomBytes } from "node:crypto";
import { isWireDate, type JsonObject, type JsonValue, wireDate } from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { ClaimTaken, type Store } from "../store/store.ts";

/** What is known of a key; the key itself is shown once and never kept. */
export interface ApiKey {
  id: string;
  name: string | undefined;
  /** Requests in a minute; undefined for the server's own limit. */
  limit: number | undefined;
  createdAt: Date;
  /** To the minute. */
  lastUsedAt: Date | undefined;
  revokedAt: Date | undefined;
}

export interface NewApiKey {
  name?: string | undefined;
  /** Requests in a minute. */
  limit?: number | undefined;
  /** One that clients have already, at least 20 characters; without one it is made. */
  key?: string | undefined;
}

export interface ApiKeysParts {
  store: Store;
  /** The schema of `_ApiKey`. */
  schemaOf(): ClassSchema;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Told where the time of the last use could not be kept. */
  onError(error: unknown): void;
}

/** The owner of a key's hash, and of its name, is the key's id. */
const CLAIM = { hash: "_ApiKey", name: "_ApiKey.name" } as const;
/** What processes tell each other when keys have changed. */
const ANNOUNCEMENT = "apiKeys:";
/** The bound where changes are not announced: another program on the same SQLite file. */
const MAX_AGE_MS = 5_000;
const MAX_CACHED = 10_000;
const LAST_USED_MS = 60_000;
const MIN_LENGTH = 20;
const MAX_LENGTH = 512;
const MAX_NAME = 100;

/** The keys of the data service: kept as hashes only, looked up by them, and cached for a moment. */
export class ApiKeys {
  readonly #parts: ApiKeysParts;
  /** By the key's hash; undefined for keys that are none, so that guesses do not reach the database each time. */
  readonly #known = new Map<string, { key: ApiKey | undefined; staleAt: number }>();
  /** When this process last wrote down that a key was used, by the key's id. */
  readonly #lastUsed = new Map<string, number>();
  #anyIssued: { is: boolean; staleAt: number } | undefined;
  readonly #stopListening: () => void;

  constructor(parts: ApiKeysParts) {
    this.#parts = parts;
    this.#stopListening = parts.store.onAnnounced((message) => {
      if (message === undefined || message.startsWith(ANNOUNCEMENT)) this.#forget();
    });
  }

  /** Makes a key. Throws Error for what cannot be one, and for a key or a name that another has. */
  async add({ name, limit, key = randomBytes(32).toString("base64url") }: NewApiKey = {}): Promise<{
    key: string;
    id: string;
  }> {
    assertKey(key);
    if (name !== undefined) assertName(name);
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1_000_000_000))
      throw new Error("The limit must be a whole number from 1: requests in a minute");
    const { store, schemaOf, clock } = this.#parts;
    const id = newObjectId();
    const at = new Date(clock()).toISOString();
    const object: JsonObject = {
      objectId: id,
      createdAt: at,
      updatedAt: at,
      ...(name !== undefined && { name }),
      ...(limit !== undefined && { limit }),
      ACL: {},
    };
    try {
      await store.write([
        { kind: "create", schema: schemaOf(), id, at, object },
        { kind: "claim", scope: CLAIM.hash, value: hashOf(key), owner: id },
        ...(name === undefined
          ? []
          : [{ kind: "claim" as const, scope: CLAIM.name, value: name, owner: id }]),
      ]);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
      throw new Error(
        error.scope === CLAIM.name
          ? `There is a key of the name "${name}" already: revoke it first, or take another name`
          : "This key is there already",
      );
    }
    await this.#announce();
    return { key, id };
  }

  /** All keys, revoked ones too, the oldest first. */
  async list(): Promise<ApiKey[]> {
    const { store, schemaOf } = this.#parts;
    const texts = await store.find({
      schema: schemaOf(),
      where: { kind: "and", conditions: [] },
      order: [{ path: ["createdAt"], descending: false }],
      limit: undefined,
      skip: 0,
      principals: null,
    });
    return texts.map(read);
  }

  /** Makes a key worthless, for good. Throws Error where no key that is good has this id or name. */
  async revoke(idOrName: string): Promise<ApiKey> {
    const { store, schemaOf, clock } = this.#parts;
    const id = (await store.ownerOf(CLAIM.name, idOrName)) ?? idOrName;
    const text = await store.get(schemaOf(), id, null);
    if (text === undefined) throw new Error(`There is no key "${idOrName}": \`keys list\` shows them`);
    const key = read(text);
    if (key.revokedAt !== undefined) throw new Error(`The key "${idOrName}" is revoked already`);
    const now = new Date(clock());
    await store.write([
      {
        kind: "update",
        schema: schemaOf(),
        id,
        at: now.toISOString(),
        operations: { revokedAt: { op: "Set", value: wireDate(now) } },
        principals: null,
      },
      { kind: "releaseAll", scope: CLAIM.name, owner: id },
      { kind: "releaseAll", scope: CLAIM.hash, owner: id },
    ]);
    await this.#announce();
    return { ...key, revokedAt: now };
  }

  /** The key that a client sent, where it is good; notes that it was used. */
  async find(text: string): Promise<ApiKey | undefined> {
    if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) return undefined;
    const { store, schemaOf, clock } = this.#parts;
    const hash = hashOf(text);
    let known = this.#known.get(hash);
    if (!known || known.staleAt <= clock()) {
      const staleAt = clock() + MAX_AGE_MS;
      const id = await store.ownerOf(CLAIM.hash, hash);
      const object = id === undefined ? undefined : await store.get(schemaOf(), id, null);
      const key = object === undefined ? undefined : read(object);
      known = { key: key?.revokedAt === undefined ? key : undefined, staleAt };
      if (this.#known.size >= MAX_CACHED) this.#known.clear();
      this.#known.set(hash, known);
    }
    if (known.key) this.#noteUse(known.key);
    return known.key;
  }

  /** Whether a key was ever made, revoked ones included. */
  async anyIssued(): Promise<boolean> {
    const { store, schemaOf, clock } = this.#parts;
    if (this.#anyIssued && this.#anyIssued.staleAt > clock()) return this.#anyIssued.is;
    const staleAt = clock() + MAX_AGE_MS;
    const where = { kind: "and" as const, conditions: [] };
    const found = await store.find({
      schema: schemaOf(),
      where,
      order: [],
      limit: 1,
      skip: 0,
      principals: null,
    });
    this.#anyIssued = { is: found.length > 0, staleAt };
    return this.#anyIssued.is;
  }

  close(): void {
    this.#stopListening();
  }

  /** At most once a minute, and not waited for. */
  #noteUse({ id, lastUsedAt }: ApiKey): void {
    const { store, schemaOf, clock } = this.#parts;
    const now = clock();
    if (now - (this.#lastUsed.get(id) ?? lastUsedAt?.getTime() ?? 0) < LAST_USED_MS) return;
    if (this.#lastUsed.size >= MAX_CACHED) this.#lastUsed.clear();
    this.#lastUsed.set(id, now);
    const at = new Date(now);
    store
      .write([
        {
          kind: "update",
          schema: schemaOf(),
          id,
          at: at.toISOString(),
          operations: { lastUsedAt: { op: "Set", value: wireDate(at) } },
          principals: null,
        },
      ])
      .catch(this.#parts.onError);
  }

  #forget(): void {
    this.#known.clear();
    this.#anyIssued = undefined;
  }

  async #announce(): Promise<void> {
    this.#forget();
    await this.#parts.store.announce(ANNOUNCEMENT);
  }
}

function assertKey(key: string): void {
  if (key.length >= MIN_LENGTH && key.length <= MAX_LENGTH && /^[\x21-\x7e]+$/.test(key)) return;
  throw new Error(
    `A key must have ${MIN_LENGTH} to ${MAX_LENGTH} characters that a header can carry, without spaces`,
  );
}

function assertName(name: string): void {
  const isText = name.trim() === name && name !== "" && name.length <= MAX_NAME;
  if (isText && !/\p{Cc}/u.test(name)) return;
  throw new Error(`A name must have 1 to ${MAX_NAME} characters, without spaces at its ends`);
}

function read(text: string): ApiKey {
  const object: JsonObject = JSON.parse(text);
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

/** Keys are long and random: a plain hash is enough, and can be looked up. */
function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
