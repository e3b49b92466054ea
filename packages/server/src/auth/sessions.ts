import {
  type Condition,
  ErrorCode,
  isPointer,
  isWireDate,
  type JsonObject,
  type JsonValue,
  MAX_SESSION_TOKEN_LENGTH,
  type Operation,
  ProtocolError,
  wireDate,
} from "@purse/protocol";
import type { AuthContext } from "../core/authContext.ts";
import { invalidSessionError } from "../core/invalidSessionError.ts";
import { findRows } from "../database/serverRows.ts";
import { UniqueConstraintError, type Write } from "../database/store.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { KeyedMutex } from "./keyedMutex.ts";
import { revokeOperatorSessions } from "./operatorSessions.ts";
import { rolesOf } from "./roles.ts";
import { parseInvalidation, publishInvalidation, type SessionInvalidation } from "./sessionInvalidation.ts";
import {
  type CreatedWith,
  expiredTokenMs,
  installationKey,
  type NewSession,
  newSession,
  type SessionOrigin,
  sessionRevocationWrites,
  tokenHash,
} from "./sessionRecord.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";

type UserAuth = Extract<AuthContext, { kind: "user" }>;

interface CachedSession {
  auth: UserAuth;
  /** When it has to be loaded again; ms since the epoch. */
  staleAt: number;
}

/** Maximum attempts of a sign-in that conflicts with others on the same installation. */
const MAX_ATTEMPTS = 20;
const MAX_CACHED_SESSIONS = 50_000;
/** Lifetime of cached sessions in ms, in case the notification of a change from another process is lost. */
const CACHE_TTL_MS = 10_000;
/** Resolution of `lastUsedAt`, in ms: it is written at most once in this time. */
const LAST_USED_RESOLUTION_MS = 15 * 60_000;

/** Manages sessions. Only hashes of tokens are stored; authenticated sessions are cached until they change. */
export class Sessions {
  readonly #dependencies: AuthDependencies;
  /** By session token. */
  readonly #cache = new Map<string, CachedSession>();
  readonly #listeners = new Set<(invalidation: SessionInvalidation) => void>();
  readonly #gatedRolesOf: (userId: string) => Promise<string[]>;
  /** IDs of the sessions whose last use is being written. */
  readonly #pendingUseUpdates = new Set<string>();
  readonly #installations = new KeyedMutex();
  /** Number of invalidations so far. */
  #invalidations = 0;

  /** `gatedRolesOf` resolves to the IDs of the roles that a user is a member of by token gate. */
  constructor(dependencies: AuthDependencies, gatedRolesOf: (userId: string) => Promise<string[]>) {
    this.#dependencies = dependencies;
    this.#gatedRolesOf = gatedRolesOf;
    dependencies.store.subscribe((message) => {
      const invalidation = message === undefined ? {} : parseInvalidation(message);
      if (invalidation) this.#evict(invalidation);
    });
  }

  /** Creates a session of a user without others; its writes belong into the transaction of the user. */
  create(userId: string, createdWith: CreatedWith, origin: SessionOrigin): NewSession {
    return newSession(this.#dependencies, userId, createdWith, origin);
  }

  /**
   * Starts a session of an existing user, together with `writes` in one transaction. It replaces the sessions that the
   * user has on the same installation; of several that start concurrently, all succeed and the last one remains. Rejects
   * with what the store throws for `writes`.
   */
  async start(
    userId: string,
    createdWith: CreatedWith,
    origin: SessionOrigin,
    writes: Write[] = [],
  ): Promise<NewSession> {
    const { installationId } = origin;
    if (installationId === undefined) {
      const session = newSession(this.#dependencies, userId, createdWith, origin);
      await this.#dependencies.store.write([...writes, ...session.writes]);
      return session;
    }
    // Requests of this process are serialized; those of other processes conflict on the unique key and are retried.
    const key = installationKey(userId, installationId);
    return this.#installations.run(key, () => this.#replace(key, userId, createdWith, origin, writes));
  }

  async #replace(
    key: string,
    userId: string,
    createdWith: CreatedWith,
    origin: SessionOrigin,
    writes: Write[],
  ): Promise<NewSession> {
    const { store } = this.#dependencies;
    let deletesObjects = true;
    for (let attempt = 1; ; attempt++) {
      const before = await store.getUniqueOwner(UNIQUE_KEYS.installation, key);
      const others = await this.#idsOf(userId, origin.installationId);
      const session = newSession(this.#dependencies, userId, createdWith, origin);
      const ended = new Set([...others, ...(before === undefined ? [] : [before])]);
      const deletions = deletesObjects ? others.map((id) => this.#deletion(id)) : [];
      try {
        await store.write([
          ...writes,
          ...[...ended].flatMap(sessionRevocationWrites),
          ...deletions,
          ...session.writes,
        ]);
      } catch (error) {
        const isConflict = error instanceof UniqueConstraintError && error.scope === UNIQUE_KEYS.installation;
        const isDeleted = deletions.length > 0 && isNotFound(error);
        if (attempt === MAX_ATTEMPTS || !(isConflict || isDeleted)) throw error;
        // Another request has deleted one of the sessions; this must not make the sign-in fail.
        if (isDeleted) deletesObjects = false;
        continue;
      }
      if (!deletesObjects) await this.finishRevocation({ userId }, others);
      else if (ended.size > 0) await this.invalidate({ userId });
      return session;
    }
  }

  /** Returns the sender of a session that was authenticated a moment ago, without waiting. */
  known(sessionToken: string): AuthContext | undefined {
    const cached = this.#cache.get(sessionToken);
    return cached && cached.staleAt > this.#dependencies.clock() ? cached.auth : undefined;
  }

  /** Authenticates a session token. Throws 209. */
  async authenticate(sessionToken: string): Promise<AuthContext> {
    if (sessionToken.length > MAX_SESSION_TOKEN_LENGTH) throw invalidSessionError();
    const known = this.known(sessionToken);
    if (known) return known;
    const before = this.#invalidations;
    const found = await this.#load(sessionToken);
    // Do not cache a session that may have been invalidated after it was read.
    if (before !== this.#invalidations) return found.auth;
    if (this.#cache.size >= MAX_CACHED_SESSIONS) this.#cache.clear();
    this.#cache.set(sessionToken, found);
    return found.auth;
  }

  /** Returns the auth context of a user without a session, for checking permissions. Throws 101. */
  async authContextFor(userId: string): Promise<AuthContext> {
    const { store, schemaOf } = this.#dependencies;
    if ((await store.get(schemaOf("_User"), userId, null)) === undefined) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "User not found.");
    }
    const roles = await rolesOf(userId, this.#gatedRolesOf(userId), this.#dependencies);
    return { kind: "user", userId, roles, sessionId: "", sessionToken: "" };
  }

  /** The IDs of a user's sessions, except one that stays valid, and the writes that revoke their tokens. */
  async revokeAll(userId: string, except?: string): Promise<{ ids: string[]; writes: Write[] }> {
    const ids = (await this.#idsOf(userId)).filter((id) => id !== except);
    return { ids, writes: ids.flatMap(sessionRevocationWrites) };
  }

  /** Deletes sessions whose tokens have been revoked, and invalidates them in the cache. */
  async finishRevocation(invalidation: SessionInvalidation, ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#writeRevocation([this.#deletion(id)])));
    await this.invalidate(invalidation);
  }

  /** The ID of the session with a token; undefined if there is none. */
  idOf(sessionToken: string): Promise<string | undefined> {
    return this.#dependencies.store.getUniqueOwner(UNIQUE_KEYS.sessionToken, tokenHash(sessionToken));
  }

  /** Adds the tokens that were stored for the compatibility with Parse Server to sessions, with one read. */
  async addStoredTokens(objects: readonly JsonObject[]): Promise<void> {
    const { store, schemaOf, config } = this.#dependencies;
    if (config.compatibility !== "parse") return;
    const ids = objects.map(({ objectId }) => String(objectId));
    const secrets = await store.getSecrets(schemaOf("_Session"), ids);
    for (const object of objects) {
      const token = secrets.get(String(object.objectId))?.sessionToken;
      if (typeof token === "string") object.sessionToken = token;
    }
  }

  /** Writes that let a session's token expire at another time, in ms since the epoch. */
  async expiryWrites(sessionId: string, expiresAt: number): Promise<Write[]> {
    const { store, config, clock } = this.#dependencies;
    const knownMs = expiredTokenMs(config);
    // The new expiry may be in the past.
    const tokenEndsAt = knownMs === 0 ? expiresAt : Math.max(expiresAt, clock()) + knownMs;
    const times = [
      [UNIQUE_KEYS.sessionToken, tokenEndsAt],
      [UNIQUE_KEYS.installation, expiresAt],
    ] as const;
    const writes = times.map(async ([scope, endsAt]) =>
      (await store.getUniqueValues(scope, sessionId)).map(
        (value): Write => ({ kind: "reserveUnique", scope, value, owner: sessionId, expiresAt: endsAt }),
      ),
    );
    return (await Promise.all(writes)).flat();
  }

  /** Revokes and deletes one session. */
  async revoke(sessionId: string): Promise<void> {
    await this.#writeRevocation([this.#deletion(sessionId), ...sessionRevocationWrites(sessionId)]);
    await this.invalidate({ sessionId });
  }

  /** Ends the sessions of users that an operator has started, which last no longer than the operator's rights. */
  async endOfOperator(operatorId: string): Promise<void> {
    const ids = await revokeOperatorSessions(this.#dependencies.store, operatorId);
    for (const id of ids) await this.finishRevocation({ sessionId: id }, [id]);
  }

  #deletion(id: string): Write {
    return { kind: "delete", schema: this.#dependencies.schemaOf("_Session"), id, subjects: null };
  }

  /** Writes a revocation. A session that another request has deleted meanwhile is no error. */
  async #writeRevocation(writes: Write[]): Promise<void> {
    await this.#dependencies.store.write(writes).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** IDs of a user's sessions on all installations or on one. */
  async #idsOf(userId: string, installationId?: string): Promise<string[]> {
    const user = { __type: "Pointer" as const, className: "_User", objectId: userId };
    const conditions: Condition[] = [
      { kind: "eq", path: ["user"], operand: { type: "pointer", value: user } },
    ];
    if (installationId !== undefined) {
      const operand = { type: "string" as const, value: installationId };
      conditions.push({ kind: "eq", path: ["installationId"], operand });
    }
    const { store, schemaOf } = this.#dependencies;
    const rows = await findRows(store, schemaOf("_Session"), {
      where: { kind: "and", conditions },
      limit: 10_000,
    });
    return rows.map(({ objectId }) => String(objectId));
  }

  /** Invalidates cached sessions in all processes, so that their next request is authenticated again. */
  async invalidate(invalidation: SessionInvalidation = {}): Promise<void> {
    this.#evict(invalidation);
    await publishInvalidation(this.#dependencies.store, invalidation);
  }

  /** Calls the listener when sessions were invalidated, in this or in another process. */
  onInvalidated(listener: (invalidation: SessionInvalidation) => void): void {
    this.#listeners.add(listener);
  }

  #evict(invalidation: SessionInvalidation): void {
    const { userId, sessionId, except } = invalidation;
    this.#invalidations += 1;
    for (const [token, { auth }] of this.#cache) {
      if (userId !== undefined && auth.userId !== userId) continue;
      if (sessionId !== undefined && auth.sessionId !== sessionId) continue;
      if (except === undefined || auth.sessionId !== except) this.#cache.delete(token);
    }
    for (const listener of this.#listeners) listener(invalidation);
  }

  async #load(sessionToken: string): Promise<CachedSession> {
    const { store, schemaOf, clock } = this.#dependencies;
    const sessionId = await store.getUniqueOwner(UNIQUE_KEYS.sessionToken, tokenHash(sessionToken));
    const text = sessionId === undefined ? undefined : await store.get(schemaOf("_Session"), sessionId, null);
    const session: JsonObject | undefined = text === undefined ? undefined : JSON.parse(text);
    if (!session || sessionId === undefined || !isPointer(session.user)) throw invalidSessionError();
    const expiresAt = isWireDate(session.expiresAt) ? Date.parse(session.expiresAt.iso) : 0;
    if (expiresAt <= clock()) throw expiredSessionError();
    const userId = session.user.objectId;
    if ((await store.get(schemaOf("_User"), userId, null)) === undefined) throw invalidSessionError();
    const roles = await rolesOf(userId, this.#gatedRolesOf(userId), this.#dependencies);
    this.#recordUse(sessionId, session, expiresAt);
    const staleAt = Math.min(expiresAt, clock() + CACHE_TTL_MS);
    return { auth: { kind: "user", userId, roles, sessionId, sessionToken }, staleAt };
  }

  /** Updates `lastUsedAt` in the background, unless that was done recently, and extends the session if configured. */
  #recordUse(id: string, { lastUsedAt, updatedAt }: JsonObject, expiresAt: number): void {
    const { clock, config, logger } = this.#dependencies;
    const at = clock();
    const before = isWireDate(lastUsedAt) ? Date.parse(lastUsedAt.iso) : 0;
    const lifetimeMs = config.sessionSeconds * 1000;
    const isExtended = config.extendSessionOnUse === true && expiresAt - at <= lifetimeMs / 2;
    if (!isExtended && at - before < LAST_USED_RESOLUTION_MS) return;
    if (this.#pendingUseUpdates.has(id)) return;
    this.#pendingUseUpdates.add(id);
    this.#writeUse(id, updatedAt, at, isExtended ? at + lifetimeMs : undefined)
      .catch((error: unknown) => {
        // The session has ended, or another process has recorded the use.
        if (!(error instanceof ProtocolError))
          logger.warn("the last use of a session could not be recorded", { error });
      })
      .finally(() => this.#pendingUseUpdates.delete(id));
  }

  async #writeUse(
    id: string,
    updatedAt: JsonValue | undefined,
    at: number,
    extendedTo: number | undefined,
  ): Promise<void> {
    const { store, schemaOf } = this.#dependencies;
    // A session that an operator has started ends with the rights of the operator.
    const isExtended =
      extendedTo !== undefined && (await store.getUniqueOwner(UNIQUE_KEYS.operatorSession, id)) === undefined;
    const operations: Record<string, Operation> = {
      lastUsedAt: { op: "Set", value: wireDate(new Date(at)) },
      ...(isExtended && { expiresAt: { op: "Set", value: wireDate(new Date(extendedTo)) } }),
    };
    await store.write([
      {
        kind: "update",
        schema: schemaOf("_Session"),
        id,
        at: new Date(at).toISOString(),
        operations,
        subjects: null,
        // Only one of several processes writes it.
        ...(typeof updatedAt === "string" && { ifUpdatedAt: updatedAt }),
      },
      ...(isExtended ? await this.expiryWrites(id, extendedTo) : []),
    ]);
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND;
}

function expiredSessionError(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Session token is expired.");
}
