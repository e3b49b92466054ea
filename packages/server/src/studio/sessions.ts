import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ErrorCode, type JsonObject, ProtocolError, parseWhere } from "@purse/protocol";
import { newObjectId } from "../data/objects/objectId.ts";
import type { Store, Write } from "../database/store.ts";
import type { StudioSession } from "../studioApi/access.ts";
import type { OperatorDependencies } from "./operators.ts";

const TOKEN_SCOPE = "_Studio.session";
/** A session expires after this time without use, and after a maximum lifetime; in ms. */
const IDLE_TIMEOUT_MS = 60 * 60_000;
const MAX_SESSION_MS = 12 * 60 * 60_000;
/** Minimum interval for updating the last use of a session, in ms. */
const USE_UPDATE_INTERVAL_MS = 60_000;
const MAX_SESSIONS = 1_000;

export interface OpenSession {
  id: string;
  operatorId: string;
  token: string;
  /** Proves that a request comes from the dashboard. */
  csrf: string;
}

/** Sessions of operators, separate from those of application users. Tokens are sent as cookies and stored as hashes. */
export class StudioSessions {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns a new session and the writes that create it. The token is always new, to prevent session fixation. */
  create(
    operatorId: string,
    client: { address: string; userAgent: string },
  ): { session: OpenSession; writes: Write[] } {
    const token = randomBytes(32).toString("base64url");
    const id = newObjectId();
    const now = this.#dependencies.clock();
    const at = new Date(now).toISOString();
    const expiresAt = now + MAX_SESSION_MS;
    const object = {
      objectId: id,
      createdAt: at,
      updatedAt: at,
      operatorId,
      lastUsedAt: at,
      expiresAt: new Date(expiresAt).toISOString(),
      address: client.address,
      userAgent: client.userAgent.slice(0, 300),
      ACL: {},
    };
    const schema = this.#dependencies.classes._StudioSession;
    return {
      session: { id, operatorId, token, csrf: deriveCsrfToken(token) },
      writes: [
        { kind: "create", schema, id, at, object },
        { kind: "reserveUnique", scope: TOKEN_SCOPE, value: hashToken(token), owner: id, expiresAt },
      ],
    };
  }

  /** Returns the valid session of a token; updates its last use unless `recordUse` is false. */
  async find(token: string, recordUse = true): Promise<OpenSession | undefined> {
    if (!/^[\w-]{43}$/.test(token)) return undefined;
    const { store, classes, clock } = this.#dependencies;
    const id = await store.getUniqueOwner(TOKEN_SCOPE, hashToken(token));
    const text = id === undefined ? undefined : await store.get(classes._StudioSession, id, null);
    if (id === undefined || text === undefined) return undefined;
    const session: JsonObject = JSON.parse(text);
    const now = clock();
    if (isExpired(session, now)) return undefined;
    const unusedMs = now - Date.parse(String(session.lastUsedAt));
    if (recordUse && unusedMs >= USE_UPDATE_INTERVAL_MS) await this.#recordUse(store, id, now);
    return { id, operatorId: String(session.operatorId), token, csrf: deriveCsrfToken(token) };
  }

  async list(operatorId: string, currentId: string): Promise<StudioSession[]> {
    const now = this.#dependencies.clock();
    const rows = await this.#rows(operatorId);
    return rows
      .filter((row) => !isExpired(row, now))
      .map((row) => ({
        id: String(row.objectId),
        createdAt: String(row.createdAt),
        lastUsedAt: String(row.lastUsedAt),
        expiresAt: String(row.expiresAt),
        address: String(row.address),
        userAgent: String(row.userAgent),
        isCurrent: row.objectId === currentId,
      }));
  }

  /** Returns the writes that delete expired sessions. */
  async endExpired(operatorId: string): Promise<Write[]> {
    const now = this.#dependencies.clock();
    const rows = await this.#rows(operatorId);
    return rows.flatMap((row) => (isExpired(row, now) ? this.#end(String(row.objectId)) : []));
  }

  /** Returns the writes that end all sessions of an operator except one. */
  async endAll(operatorId: string, except?: string): Promise<Write[]> {
    const rows = await this.#rows(operatorId);
    return rows.flatMap(({ objectId }) => (objectId === except ? [] : this.#end(String(objectId))));
  }

  /** Ends a session of an operator. Throws 101 if it belongs to another operator. */
  async end(operatorId: string, id: string): Promise<void> {
    const text = await this.#dependencies.store.get(this.#dependencies.classes._StudioSession, id, null);
    if (text === undefined || JSON.parse(text).operatorId !== operatorId) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The session does not exist.");
    }
    await this.#dependencies.store.write(this.#end(id));
  }

  #end(id: string): Write[] {
    const schema = this.#dependencies.classes._StudioSession;
    return [
      { kind: "delete", schema, id, subjects: null },
      { kind: "releaseAllUnique", scope: TOKEN_SCOPE, owner: id },
    ];
  }

  async #recordUse(store: Store, id: string, now: number): Promise<void> {
    const at = new Date(now).toISOString();
    const operations = { lastUsedAt: { op: "Set", value: at } } as const;
    const schema = this.#dependencies.classes._StudioSession;
    await store
      .write([{ kind: "update", schema, id, at, operations, subjects: null }])
      .catch((error: unknown) => {
        // The session has ended in the meantime; the next request is rejected.
        if (!(error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND)) throw error;
      });
  }

  async #rows(operatorId: string): Promise<JsonObject[]> {
    const texts = await this.#dependencies.store.find({
      schema: this.#dependencies.classes._StudioSession,
      where: parseWhere({ operatorId }),
      order: [{ path: ["createdAt"], descending: true }],
      limit: MAX_SESSIONS,
      skip: 0,
      subjects: null,
    });
    return texts.map((text): JsonObject => JSON.parse(text));
  }
}

function isExpired({ expiresAt, lastUsedAt }: JsonObject, now: number): boolean {
  return now >= Date.parse(String(expiresAt)) || now - Date.parse(String(lastUsedAt)) >= IDLE_TIMEOUT_MS;
}

/** Derives the CSRF token from the session token without revealing it. */
function deriveCsrfToken(token: string): string {
  return createHmac("sha256", token).update("csrf").digest("base64url");
}

/** Compares in constant time. */
export function isValidCsrfToken({ csrf }: OpenSession, sent: unknown): boolean {
  if (typeof sent !== "string") return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(csrf), digest(sent));
}

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
