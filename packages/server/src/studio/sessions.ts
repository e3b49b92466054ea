import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ErrorCode, type JsonObject, ProtocolError, parseWhere } from "@purse/protocol";
import { newObjectId } from "../data/objects/objectId.ts";
import { createRow, findRows, getRow, updateRow } from "../database/serverRows.ts";
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
/** Prefix of access tokens, which distinguishes them from session tokens. */
const ACCESS_TOKEN_PREFIX = "purse_";
const DAY_MS = 24 * 60 * 60_000;

export interface OpenSession {
  id: string;
  operatorId: string;
  token: string;
  /** Proves that a request comes from the dashboard. */
  csrf: string;
}

/** The client that a session is created for. */
interface SessionClient {
  address: string;
  userAgent: string;
}

/** Sessions of operators, separate from those of application users. Tokens are sent as cookies and stored as hashes. */
export class StudioSessions {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns a new session and the writes that create it. The token is always new, to prevent session fixation. */
  create(operatorId: string, client: SessionClient): { session: OpenSession; writes: Write[] } {
    const token = randomBytes(32).toString("base64url");
    const { id, writes } = this.#createRow(operatorId, client, token, MAX_SESSION_MS, {});
    return { session: { id, operatorId, token, csrf: deriveCsrfToken(token) }, writes };
  }

  /**
   * Returns a new access token for programs and the writes that create it. It is not valid as a cookie, does not end when
   * it is unused, and otherwise ends like a session: when it is revoked, and with the password of its operator.
   */
  createAccessToken(
    operatorId: string,
    client: SessionClient,
    { name, days }: { name: string; days: number },
  ): { token: string; id: string; expiresAt: string; writes: Write[] } {
    const token = ACCESS_TOKEN_PREFIX + randomBytes(32).toString("base64url");
    return { token, ...this.#createRow(operatorId, client, token, days * DAY_MS, { name }) };
  }

  /** Returns the valid session of a token; updates its last use unless `recordUse` is false. */
  async find(token: string, recordUse = true): Promise<OpenSession | undefined> {
    if (!/^[\w-]{43}$/.test(token)) return undefined;
    const found = await this.#find(token, recordUse);
    return found && { ...found, token, csrf: deriveCsrfToken(token) };
  }

  /** Returns the operator of a valid access token; updates its last use. */
  async findAccessToken(token: string): Promise<{ id: string; operatorId: string } | undefined> {
    return isAccessToken(token) ? this.#find(token, true) : undefined;
  }

  async #find(token: string, recordUse: boolean): Promise<{ id: string; operatorId: string } | undefined> {
    const { store, classes, clock } = this.#dependencies;
    const id = await store.getUniqueOwner(TOKEN_SCOPE, hashToken(token));
    const session = id === undefined ? undefined : await getRow(store, classes._StudioSession, id);
    if (id === undefined || !session) return undefined;
    const now = clock();
    if (isExpired(session, now)) return undefined;
    const unusedMs = now - Date.parse(String(session.lastUsedAt));
    if (recordUse && unusedMs >= USE_UPDATE_INTERVAL_MS) await this.#recordUse(store, id, now);
    return { id, operatorId: String(session.operatorId) };
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
        ...(typeof row.name === "string" && { name: row.name }),
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
    const { store, classes } = this.#dependencies;
    const session = await getRow(store, classes._StudioSession, id);
    if (session?.operatorId !== operatorId) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The session does not exist.");
    }
    await store.write(this.#end(id));
  }

  #createRow(
    operatorId: string,
    client: SessionClient,
    token: string,
    lifetimeMs: number,
    named: { name?: string },
  ): { id: string; expiresAt: string; writes: Write[] } {
    const id = newObjectId();
    const now = this.#dependencies.clock();
    const expiresAt = new Date(now + lifetimeMs).toISOString();
    const fields = {
      operatorId,
      lastUsedAt: new Date(now).toISOString(),
      expiresAt,
      address: client.address,
      userAgent: client.userAgent.slice(0, 300),
      ...named,
      ACL: {},
    };
    const schema = this.#dependencies.classes._StudioSession;
    const value = hashToken(token);
    return {
      id,
      expiresAt,
      writes: [
        createRow(schema, id, now, fields),
        { kind: "reserveUnique", scope: TOKEN_SCOPE, value, owner: id, expiresAt: now + lifetimeMs },
      ],
    };
  }

  #end(id: string): Write[] {
    const schema = this.#dependencies.classes._StudioSession;
    return [
      { kind: "delete", schema, id, subjects: null },
      { kind: "releaseAllUnique", scope: TOKEN_SCOPE, owner: id },
    ];
  }

  async #recordUse(store: Store, id: string, now: number): Promise<void> {
    const fields = { lastUsedAt: new Date(now).toISOString() };
    await store
      .write([updateRow(this.#dependencies.classes._StudioSession, id, now, fields)])
      .catch((error: unknown) => {
        // The session has ended in the meantime; the next request is rejected.
        if (!(error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND)) throw error;
      });
  }

  #rows(operatorId: string): Promise<JsonObject[]> {
    const { store, classes } = this.#dependencies;
    return findRows(store, classes._StudioSession, {
      where: parseWhere({ operatorId }),
      order: "-createdAt",
      limit: MAX_SESSIONS,
    });
  }
}

/** Whether a text has the form of an access token. */
function isAccessToken(text: string): boolean {
  return /^purse_[\w-]{43}$/.test(text);
}

/** Access tokens, which have a name, do not expire for not being used. */
function isExpired({ expiresAt, lastUsedAt, name }: JsonObject, now: number): boolean {
  if (now >= Date.parse(String(expiresAt))) return true;
  return typeof name !== "string" && now - Date.parse(String(lastUsedAt)) >= IDLE_TIMEOUT_MS;
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
