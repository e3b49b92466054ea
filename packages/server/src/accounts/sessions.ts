import {
  type Condition,
  ErrorCode,
  isPointer,
  isWireDate,
  type JsonObject,
  MAX_SESSION_TOKEN_LENGTH,
  ProtocolError,
  wireDate,
} from "@purse/protocol";
import type { Caller } from "../caller.ts";
import { ClaimTaken, type Write } from "../store/store.ts";
import { KeyedMutex } from "./keyedMutex.ts";
import { type AccountsParts, CLAIM } from "./parts.ts";
import { rolesOf } from "./roles.ts";
import {
  type CreatedWith,
  installationKey,
  type NewSession,
  newSession,
  type SessionOrigin,
  sessionEnd,
  tokenHash,
} from "./sessionRecord.ts";

type UserCaller = Extract<Caller, { kind: "user" }>;

/** Whose callers are to be judged anew: of a user, of a session, of all; `except` is a session that goes on. */
export interface Forgotten {
  userId?: string;
  sessionId?: string;
  except?: string | undefined;
}

interface CachedCaller {
  caller: UserCaller;
  /** When it has to be judged anew; ms since the epoch. */
  staleAt: number;
}

/** How often a sign-in tries again that other processes have overtaken on its installation. */
const MAX_ATTEMPTS = 20;
const MAX_CACHED = 50_000;
/** Changes are told to all processes at once; this is the bound should that fail, in ms. */
const MAX_AGE_MS = 10_000;
/** How exactly the last use of a session is known: more often nothing is written. */
const LAST_USED_MS = 15 * 60_000;
/** What processes tell each other: this and whose callers are to be forgotten. */
const ANNOUNCEMENT = "sessions:";

/** Sessions: tokens are kept as hashes only; who a token stands for is cached until something about it changes. */
export class Sessions {
  readonly #parts: AccountsParts;
  /** By the token itself, which is in memory as long as its requests come. */
  readonly #callers = new Map<string, CachedCaller>();
  readonly #listeners = new Set<(forgotten: Forgotten) => void>();
  readonly #gatedRolesOf: (userId: string) => Promise<string[]>;
  /** The ids of those whose last use is being written. */
  readonly #noting = new Set<string>();
  readonly #installations = new KeyedMutex();
  /** How often something was forgotten. */
  #forgets = 0;

  /** `gatedRolesOf` answers the ids of the roles that a user is in for what they hold. */
  constructor(parts: AccountsParts, gatedRolesOf: (userId: string) => Promise<string[]>) {
    this.#parts = parts;
    this.#gatedRolesOf = gatedRolesOf;
    parts.store.onAnnounced((message) => {
      if (message === undefined) this.#drop({});
      else if (message.startsWith(ANNOUNCEMENT)) this.#drop(JSON.parse(message.slice(ANNOUNCEMENT.length)));
    });
  }

  /** The first session of a user who is being created; its steps are written with the user. */
  ofNewUser(userId: string, createdWith: CreatedWith, origin: SessionOrigin): NewSession {
    return newSession(this.#parts, userId, createdWith, origin);
  }

  /**
   * Begins a session of an existing user and writes `steps` in the same transaction. It replaces the sessions that the
   * user has on the same installation: of several that begin there at once, all succeed and the last one stays. Rejects
   * with what the store throws for `steps`.
   */
  async start(
    userId: string,
    createdWith: CreatedWith,
    origin: SessionOrigin,
    steps: Write[] = [],
  ): Promise<NewSession> {
    const { installationId } = origin;
    if (installationId === undefined) {
      const session = newSession(this.#parts, userId, createdWith, origin);
      await this.#parts.store.write([...steps, ...session.writes]);
      return session;
    }
    // Requests of this process are serialized; those of other processes conflict on the claim and are retried.
    const key = installationKey(userId, installationId);
    return this.#installations.run(key, () => this.#replace(key, userId, createdWith, origin, steps));
  }

  async #replace(
    key: string,
    userId: string,
    createdWith: CreatedWith,
    origin: SessionOrigin,
    steps: Write[],
  ): Promise<NewSession> {
    const { store } = this.#parts;
    let removesObjects = true;
    for (let attempt = 1; ; attempt++) {
      const before = await store.ownerOf(CLAIM.installation, key);
      const others = await this.#idsOf(userId, origin.installationId);
      const session = newSession(this.#parts, userId, createdWith, origin);
      const ended = new Set([...others, ...(before === undefined ? [] : [before])]);
      const removals = removesObjects ? others.map((id) => this.#removal(id)) : [];
      try {
        await store.write([...steps, ...[...ended].flatMap(sessionEnd), ...removals, ...session.writes]);
      } catch (error) {
        const isOvertaken = error instanceof ClaimTaken && error.scope === CLAIM.installation;
        const isRemoved = removals.length > 0 && isNotFound(error);
        if (attempt === MAX_ATTEMPTS || !(isOvertaken || isRemoved)) throw error;
        // Another request has removed one of the sessions: that must not make this one fail.
        if (isRemoved) removesObjects = false;
        continue;
      }
      if (!removesObjects) await this.finishEnd({ userId }, others);
      else if (ended.size > 0) await this.forget({ userId });
      return session;
    }
  }

  /** Who a token stands for now. Throws 209. */
  async callerOf(sessionToken: string): Promise<Caller> {
    if (sessionToken.length > MAX_SESSION_TOKEN_LENGTH) throw invalidSession();
    const cached = this.#callers.get(sessionToken);
    if (cached && cached.staleAt > this.#parts.clock()) return cached.caller;
    const before = this.#forgets;
    const found = await this.#load(sessionToken);
    // What was forgotten meanwhile may have been read before it changed.
    if (before !== this.#forgets) return found.caller;
    if (this.#callers.size >= MAX_CACHED) this.#callers.clear();
    this.#callers.set(sessionToken, found);
    return found.caller;
  }

  /** A user as their sessions make them, without one: for whoever looks at what they may do. Throws 101. */
  async userCaller(userId: string): Promise<Caller> {
    const { store, schemaOf } = this.#parts;
    if ((await store.get(schemaOf("_User"), userId, null)) === undefined) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such user.");
    }
    const roles = await rolesOf(userId, this.#gatedRolesOf(userId), this.#parts);
    return { kind: "user", userId, roles, sessionId: "", sessionToken: "" };
  }

  /** The sessions of a user but for one that may go on, with the steps that make their tokens worthless. */
  async endAll(userId: string, except?: string): Promise<{ ids: string[]; writes: Write[] }> {
    const ids = (await this.#idsOf(userId)).filter((id) => id !== except);
    return { ids, writes: ids.flatMap(sessionEnd) };
  }

  /** Removes sessions whose tokens are worthless, and has their callers forgotten. */
  async finishEnd(forgotten: Forgotten, ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#write([this.#removal(id)])));
    await this.forget(forgotten);
  }

  /** Ends one session at once. */
  async endOne(sessionId: string): Promise<void> {
    await this.#write([this.#removal(sessionId), ...sessionEnd(sessionId)]);
    await this.forget({ sessionId });
  }

  #removal(id: string): Write {
    return { kind: "delete", schema: this.#parts.schemaOf("_Session"), id, principals: null };
  }

  /** Writes what ends a session; that another request has ended it meanwhile is what was wanted. */
  async #write(writes: Write[]): Promise<void> {
    await this.#parts.store.write(writes).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** The ids of a user's sessions, of all installations or of one. */
  async #idsOf(userId: string, installationId?: string): Promise<string[]> {
    const user = { __type: "Pointer" as const, className: "_User", objectId: userId };
    const conditions: Condition[] = [
      { kind: "eq", path: ["user"], operand: { type: "pointer", value: user } },
    ];
    if (installationId !== undefined) {
      const operand = { type: "string" as const, value: installationId };
      conditions.push({ kind: "eq", path: ["installationId"], operand });
    }
    const texts = await this.#parts.store.find({
      schema: this.#parts.schemaOf("_Session"),
      where: { kind: "and", conditions },
      order: [],
      limit: 10_000,
      skip: 0,
      principals: null,
    });
    return texts.map((text): string => JSON.parse(text).objectId);
  }

  /** Forgets callers, here and in every other process, so that their next request is judged anew. */
  async forget(forgotten: Forgotten = {}): Promise<void> {
    this.#drop(forgotten);
    await this.#parts.store.announce(ANNOUNCEMENT + JSON.stringify(forgotten));
  }

  /** Calls back when callers were forgotten, here or in another process. */
  onForgotten(listener: (forgotten: Forgotten) => void): void {
    this.#listeners.add(listener);
  }

  #drop(forgotten: Forgotten): void {
    const { userId, sessionId, except } = forgotten;
    this.#forgets += 1;
    for (const [token, { caller }] of this.#callers) {
      if (userId !== undefined && caller.userId !== userId) continue;
      if (sessionId !== undefined && caller.sessionId !== sessionId) continue;
      if (except === undefined || caller.sessionId !== except) this.#callers.delete(token);
    }
    for (const listener of this.#listeners) listener(forgotten);
  }

  async #load(sessionToken: string): Promise<CachedCaller> {
    const { store, schemaOf, clock } = this.#parts;
    const sessionId = await store.ownerOf(CLAIM.sessionToken, tokenHash(sessionToken));
    const text = sessionId === undefined ? undefined : await store.get(schemaOf("_Session"), sessionId, null);
    const session: JsonObject | undefined = text === undefined ? undefined : JSON.parse(text);
    if (!session || sessionId === undefined || !isPointer(session.user)) throw invalidSession();
    const expiresAt = isWireDate(session.expiresAt) ? Date.parse(session.expiresAt.iso) : 0;
    if (expiresAt <= clock()) throw invalidSession();
    const userId = session.user.objectId;
    if ((await store.get(schemaOf("_User"), userId, null)) === undefined) throw invalidSession();
    const roles = await rolesOf(userId, this.#gatedRolesOf(userId), this.#parts);
    this.#noteUse(sessionId, session);
    const staleAt = Math.min(expiresAt, clock() + MAX_AGE_MS);
    return { caller: { kind: "user", userId, roles, sessionId, sessionToken }, staleAt };
  }

  /** Now and then, by whichever request comes first, and not waited for. */
  #noteUse(id: string, { lastUsedAt, updatedAt }: JsonObject): void {
    const { store, schemaOf, clock, log } = this.#parts;
    const at = new Date(clock());
    const before = isWireDate(lastUsedAt) ? Date.parse(lastUsedAt.iso) : 0;
    if (at.getTime() - before < LAST_USED_MS || this.#noting.has(id)) return;
    this.#noting.add(id);
    store
      .write([
        {
          kind: "update",
          schema: schemaOf("_Session"),
          id,
          at: at.toISOString(),
          operations: { lastUsedAt: { op: "Set", value: wireDate(at) } },
          principals: null,
          // Of several processes one writes it.
          ...(typeof updatedAt === "string" && { ifUpdatedAt: updatedAt }),
        },
      ])
      .catch((error: unknown) => {
        // Ended, or noted by another process meanwhile: there is nothing left to write.
        if (!(error instanceof ProtocolError))
          log.warn("the last use of a session could not be kept", { error });
      })
      .finally(() => this.#noting.delete(id));
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND;
}

export function invalidSession(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
}
