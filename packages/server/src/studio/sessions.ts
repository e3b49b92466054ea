import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ErrorCode, type JsonObject, ProtocolError, parseWhere, type StudioSession } from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import type { Store, Write } from "../store/store.ts";
import type { OperatorsParts } from "./operators.ts";

const TOKEN = "_Studio.session";
/** A session ends after so long without use, and after so long however much it is used; in ms. */
const IDLE_MS = 60 * 60_000;
const ABSOLUTE_MS = 12 * 60 * 60_000;
/** How often it is noted that a session is used, in ms. */
const NOTE_MS = 60_000;
const MOST = 1_000;

export interface OpenSession {
  id: string;
  operatorId: string;
  token: string;
  /** What shows that a request comes from the studio's own pages. */
  csrf: string;
}

/** The sessions of operators: cookies whose values are kept as hashes alone. Sessions of an app's users are none. */
export class StudioSessions {
  readonly #parts: OperatorsParts;

  constructor(parts: OperatorsParts) {
    this.#parts = parts;
  }

  /** A new session, with the steps that begin it. Its token is new whatever the browser has sent. */
  begin(
    operatorId: string,
    from: { address: string; userAgent: string },
  ): { session: OpenSession; writes: Write[] } {
    const token = randomBytes(32).toString("base64url");
    const id = newObjectId();
    const now = this.#parts.clock();
    const at = new Date(now).toISOString();
    const expiresAt = now + ABSOLUTE_MS;
    const object = {
      objectId: id,
      createdAt: at,
      updatedAt: at,
      operatorId,
      lastUsedAt: at,
      expiresAt: new Date(expiresAt).toISOString(),
      address: from.address,
      userAgent: from.userAgent.slice(0, 300),
      ACL: {},
    };
    const schema = this.#parts.classes._StudioSession;
    return {
      session: { id, operatorId, token, csrf: csrfOf(token) },
      writes: [
        { kind: "create", schema, id, at, object },
        { kind: "claim", scope: TOKEN, value: hashOf(token), owner: id, expiresAt },
      ],
    };
  }

  /** The session of a token, where it is good; notes its use unless told not to. */
  async find(token: string, noteUse = true): Promise<OpenSession | undefined> {
    if (!/^[\w-]{43}$/.test(token)) return undefined;
    const { store, classes, clock } = this.#parts;
    const id = await store.ownerOf(TOKEN, hashOf(token));
    const text = id === undefined ? undefined : await store.get(classes._StudioSession, id, null);
    if (id === undefined || text === undefined) return undefined;
    const session: JsonObject = JSON.parse(text);
    const now = clock();
    if (isOver(session, now)) return undefined;
    const unused = now - Date.parse(String(session.lastUsedAt));
    if (noteUse && unused >= NOTE_MS) await this.#noteUse(store, id, now);
    return { id, operatorId: String(session.operatorId), token, csrf: csrfOf(token) };
  }

  async list(operatorId: string, currentId: string): Promise<StudioSession[]> {
    const now = this.#parts.clock();
    const rows = await this.#rows(operatorId);
    return rows
      .filter((row) => !isOver(row, now))
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

  /** The steps that forget what has ended by itself. */
  async endExpired(operatorId: string): Promise<Write[]> {
    const now = this.#parts.clock();
    const rows = await this.#rows(operatorId);
    return rows.flatMap((row) => (isOver(row, now) ? this.#end(String(row.objectId)) : []));
  }

  /** The steps that end all sessions of an operator, but for one that may go on. */
  async endAll(operatorId: string, except?: string): Promise<Write[]> {
    const rows = await this.#rows(operatorId);
    return rows.flatMap(({ objectId }) => (objectId === except ? [] : this.#end(String(objectId))));
  }

  /** Ends one session of an operator. Throws 101 where it is none of theirs. */
  async end(operatorId: string, id: string): Promise<void> {
    const text = await this.#parts.store.get(this.#parts.classes._StudioSession, id, null);
    if (text === undefined || JSON.parse(text).operatorId !== operatorId) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such session.");
    }
    await this.#parts.store.write(this.#end(id));
  }

  #end(id: string): Write[] {
    const schema = this.#parts.classes._StudioSession;
    return [
      { kind: "delete", schema, id, principals: null },
      { kind: "releaseAll", scope: TOKEN, owner: id },
    ];
  }

  async #noteUse(store: Store, id: string, now: number): Promise<void> {
    const at = new Date(now).toISOString();
    const operations = { lastUsedAt: { op: "Set", value: at } } as const;
    const schema = this.#parts.classes._StudioSession;
    await store
      .write([{ kind: "update", schema, id, at, operations, principals: null }])
      .catch((error: unknown) => {
        // Ended meanwhile: whoever asks next is told.
        if (!(error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND)) throw error;
      });
  }

  async #rows(operatorId: string): Promise<JsonObject[]> {
    const texts = await this.#parts.store.find({
      schema: this.#parts.classes._StudioSession,
      where: parseWhere({ operatorId }),
      order: [{ path: ["createdAt"], descending: true }],
      limit: MOST,
      skip: 0,
      principals: null,
    });
    return texts.map((text): JsonObject => JSON.parse(text));
  }
}

function isOver({ expiresAt, lastUsedAt }: JsonObject, now: number): boolean {
  return now >= Date.parse(String(expiresAt)) || now - Date.parse(String(lastUsedAt)) >= IDLE_MS;
}

/** Follows from the token, and does not tell it. */
function csrfOf(token: string): string {
  return createHmac("sha256", token).update("csrf").digest("base64url");
}

/** Compares in the same time whatever was sent. */
export function isCsrf({ csrf }: OpenSession, sent: unknown): boolean {
  if (typeof sent !== "string") return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(csrf), digest(sent));
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
