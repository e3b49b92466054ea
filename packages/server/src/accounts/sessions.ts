import { createHash, randomBytes } from "node:crypto";
import {
  type Condition,
  ErrorCode,
  isPointer,
  isWireDate,
  type JsonObject,
  ProtocolError,
  wireDate,
} from "@purse/protocol";
import type { Caller, RequestContext } from "../caller.ts";
import { newObjectId } from "../objects/objectId.ts";
import type { Write } from "../store/store.ts";
import { deviceOf } from "./device.ts";
import { type AccountsParts, CLAIM } from "./parts.ts";
import { rolesOf } from "./roles.ts";

export interface NewSession {
  sessionToken: string;
  /** As its user sees it. */
  object: JsonObject;
  writes: Write[];
}

/** The request by which a session begins: what it says of its device is kept. */
export type SessionOrigin = Pick<RequestContext, "installationId" | "headers">;

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

  /** The steps that begin a session. */
  begin(
    userId: string,
    createdWith: { action: string; authProvider: string },
    origin?: SessionOrigin,
  ): NewSession {
    const installationId = origin?.installationId;
    const userAgent = deviceOf(origin?.headers?.["user-agent"]);
    const sessionToken = `r:${randomBytes(16).toString("hex")}`;
    const id = newObjectId();
    const now = this.#parts.clock();
    const at = new Date(now).toISOString();
    const expiresAt = now + this.#parts.config.sessionSeconds * 1000;
    const object: JsonObject = {
      objectId: id,
      createdAt: at,
      updatedAt: at,
      user: { __type: "Pointer", className: "_User", objectId: userId },
      createdWith,
      restricted: false,
      expiresAt: wireDate(new Date(expiresAt)),
      ...(installationId !== undefined && { installationId }),
      ...(userAgent !== undefined && { userAgent }),
      lastUsedAt: wireDate(new Date(now)),
      ACL: { [userId]: { read: true, write: true } },
    };
    const schema = this.#parts.schemaOf("_Session");
    return {
      sessionToken,
      object: { ...object, sessionToken },
      writes: [
        { kind: "create", schema, id, at, object },
        { kind: "claim", scope: CLAIM.sessionToken, value: tokenHash(sessionToken), owner: id, expiresAt },
      ],
    };
  }

  /** Who a token stands for now. Throws 209. */
  async callerOf(sessionToken: string): Promise<Caller> {
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

  /** The steps that end sessions of a user, but for one that may go on. */
  async end(userId: string, except?: string, installationId?: string): Promise<Write[]> {
    const schema = this.#parts.schemaOf("_Session");
    const user = { __type: "Pointer" as const, className: "_User", objectId: userId };
    const ofUser: Condition = { kind: "eq", path: ["user"], operand: { type: "pointer", value: user } };
    const where: Condition =
      installationId === undefined
        ? ofUser
        : {
            kind: "and",
            conditions: [
              ofUser,
              { kind: "eq", path: ["installationId"], operand: { type: "string", value: installationId } },
            ],
          };
    const found = await this.#parts.store.find({
      schema,
      where,
      order: [],
      limit: 10_000,
      skip: 0,
      principals: null,
    });
    const ids = found.map((text): string => JSON.parse(text).objectId).filter((id) => id !== except);
    return ids.flatMap((id): Write[] => [
      { kind: "delete", schema, id, principals: null },
      ...this.endClaims(id),
    ]);
  }

  /** The steps that end what sessions a user has on one installation: a new one takes their place. */
  async endOfInstallation(userId: string, installationId: string | undefined): Promise<Write[]> {
    return installationId === undefined ? [] : this.end(userId, undefined, installationId);
  }

  /** The steps that make a session's token worthless. */
  endClaims(sessionId: string): Write[] {
    return [{ kind: "releaseAll", scope: CLAIM.sessionToken, owner: sessionId }];
  }

  /** Ends one session at once. */
  async endOne(sessionId: string): Promise<void> {
    const schema = this.#parts.schemaOf("_Session");
    const gone: Write = { kind: "delete", schema, id: sessionId, principals: null };
    await this.#parts.store.write([gone, ...this.endClaims(sessionId)]).catch((error: unknown) => {
      // Ended meanwhile by another request: what was wanted is the case.
      if (!(error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND)) throw error;
    });
    await this.forget({ sessionId });
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

/** As which a session token is kept. */
export function tokenHash(sessionToken: string): string {
  return createHash("sha256").update(sessionToken).digest("hex");
}

export function invalidSession(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
}
