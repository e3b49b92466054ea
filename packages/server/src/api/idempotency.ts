import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import type { ApiReply, ApiRoute } from "../core/http/apiRoute.ts";
import type { Envelope } from "../core/http/envelope.ts";
import { OutcomeUnknownError } from "../core/outcomeUnknownError.ts";
import type { ReplayedFields } from "../data/objects/changedFields.ts";
import type {
  IdempotentRequest,
  IdempotentResponse,
  ResponseToSave,
} from "../data/objects/idempotentWrite.ts";
import type { RequestRecord, StoredReply } from "../database/requestRecords.ts";
import type { Store, Write } from "../database/store.ts";
import { WriteOutcomeUnknownError } from "../database/writeOutcome.ts";
import { createReplyCipher, type DecryptedReply, decryptReplies, type ReplyCipher } from "./replyCipher.ts";

/** Replies longer than this (in characters) are not stored in the database, nor are the oldest ones beyond this total. */
const MAX_REPLY_LENGTH = 16_384;
const MAX_STORED_REPLIES_LENGTH = 64 * 1024 * 1024;
/** Maximum length of replies that are stored elsewhere, in characters. */
const MAX_LONG_REPLY_LENGTH = 1_000_000;
/** Number of requests after which old replies are deleted. */
const SWEEP_INTERVAL = 2_000;
/** A process that has not renewed its lease on a request for this long has ended, in ms. */
const RUN_LEASE_MS = 5_000;
const RENEW_MS = 2_000;
/** How long a retry waits for the result of another process, and how often it polls, in ms. */
const MAX_WAIT_MS = 15_000;
const POLL_MS = 150;

/** Where replies are stored that are too long for the database. It may lose them, and reject. */
export interface LongReplies {
  save(key: string, text: string, ttlMs: number): Promise<void>;
  load(key: string): Promise<string | undefined>;
}

export interface IdempotencyOptions {
  store: Store;
  /** Undefined if long replies are not stored. */
  longReplies?: LongReplies | undefined;
  /** Paths below the mount path on which a request with an id is executed once. */
  paths: RegExp[];
  /** How long a request's id is stored. */
  seconds: number;
  /** Returns the fields that a write returned, as far as the same client may read them now. */
  rememberedFields(request: RequestContext, fields: ReplayedFields): Promise<JsonObject>;
}

type Execute = (memory: IdempotentRequest | undefined) => Promise<ApiReply>;

/**
 * Executes a request with an ID once, even if it is sent several times or to several processes: its writes and its
 * stored reply are one transaction. A repeated request is rejected with 159; a client that marks it as a retry, because
 * it received no response, gets the reply. A request that failed may be sent again. The route's `retry` decides about
 * requests whose process was interrupted.
 */
export function createIdempotency(options: IdempotencyOptions) {
  const { store, longReplies, paths, seconds } = options;
  const owner = randomUUID();
  /** Requests that this process is executing; undefined for those of other processes. */
  const inProgress = new Map<string, { content: string; attempt: Promise<ApiReply | undefined> }>();
  let startedRequests = 0;

  return async function executeIdempotently(
    envelope: Envelope,
    path: string,
    request: RequestContext,
    retry: ApiRoute["retry"],
    execute: Execute,
  ): Promise<ApiReply> {
    const { method, clientRequestId, isRetry } = envelope;
    const isWrite = method === "POST" || method === "PUT";
    if (clientRequestId === undefined || !isWrite || !paths.some((each) => each.test(path.slice(1)))) {
      return execute(undefined);
    }
    const content = hashRequest(envelope, path);
    const cipher = createReplyCipher(clientRequestId, content);
    const key = createHash("sha256").update(clientRequestId).digest("base64url");
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const inProcess = inProgress.get(key);
      if (inProcess && !(isRetry && inProcess.content === content)) throw duplicateRequest();
      const attempt = inProcess?.attempt ?? start();
      if (!inProcess) inProgress.set(key, { content, attempt });
      const reply = await attempt.finally(() => inProcess ?? inProgress.delete(key));
      if (reply) return reply;
      // It has been started before, here or elsewhere.
      const stored = await store.getRequest(key);
      if (stored?.reply !== undefined && stored.reply !== null) return replayReply(stored, stored.reply);
      const isInterrupted = stored && stored.leaseExpiresAt <= store.now();
      if (isInterrupted && retry === undefined) throw interruptedRequest();
      if (performance.now() > deadline) throw duplicateRequest();
      await sleep(POLL_MS);
    }

    /** Executes the request; returns undefined if it has been started before. */
    async function start(): Promise<ApiReply | undefined> {
      const now = store.now();
      const isStarted = await tryWrite({
        kind: "beginRequest",
        key,
        contentHash: content,
        owner,
        leaseExpiresAt: now + RUN_LEASE_MS,
        expiresAt: now + seconds * 1_000,
        isRepeatable: retry !== undefined,
      });
      if (!isStarted) return undefined;
      const expiresAt = now + seconds * 1_000;
      const { rememberedFields } = options;
      const repeatable = { key, content, owner, expiresAt, request, rememberedFields };
      const memory = new Memory({ ...repeatable, cipher, store, longReplies });
      const renewalTimer = setInterval(() => memory.renew(), RENEW_MS).unref();
      try {
        const reply = await execute(retry === "write" ? memory : undefined);
        await memory.finish(reply);
        sweepPeriodically();
        return reply;
      } catch (error) {
        // If the outcome is unknown, a retry finds it once it is known.
        if (error instanceof WriteOutcomeUnknownError) throw error;
        const isKept = retry === undefined && error instanceof OutcomeUnknownError;
        // What has begun is never executed again, and retries need not wait.
        const write: Write = isKept
          ? { kind: "renewRequest", key, owner, leaseExpiresAt: store.now() }
          : { kind: "deleteRequest", key, owner };
        await store.write([write]);
        throw error;
      } finally {
        clearInterval(renewalTimer);
      }
    }

    async function replayReply(stored: RequestRecord, answer: string): Promise<ApiReply> {
      if (!isRetry || stored.contentHash !== content) throw duplicateRequest();
      const isInDatabase = answer !== "" && answer !== "[]";
      const text = isInDatabase ? answer : await loadLongReply(stored.owner);
      const replies = decryptReplies(text, cipher);
      const [first] = replies ?? [];
      if (!replies || !first) throw executedRequest();
      const completed = await Promise.all(replies.map((reply) => withCurrentFields(reply, request, options)));
      const [only] = completed;
      if (only && !first.isPart) return only;
      return { status: 200, body: `[${completed.map(({ body }) => `{"success":${body}}`).join()}]` };
    }

    /** Returns "" if it is not stored. */
    async function loadLongReply(storedBy: string): Promise<string> {
      const found = await longReplies?.load(longReplyKey(key, storedBy)).catch(() => undefined);
      return found ?? "";
    }
  };

  async function tryWrite(write: Write): Promise<boolean> {
    try {
      await store.write([write]);
      return true;
    } catch (error) {
      if (error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_REQUEST) return false;
      throw error;
    }
  }

  function sweepPeriodically(): void {
    startedRequests += 1;
    if (startedRequests % SWEEP_INTERVAL !== 0) return;
    // Repeated after as many more requests; the store does it from time to time, too.
    store.deleteExpiredRequests(MAX_STORED_REPLIES_LENGTH).catch(() => undefined);
  }
}

interface MemoryOptions {
  key: string;
  content: string;
  owner: string;
  expiresAt: number;
  cipher: ReplyCipher;
  store: Store;
  longReplies: LongReplies | undefined;
  request: RequestContext;
  rememberedFields: IdempotencyOptions["rememberedFields"];
  isPart?: boolean;
}

/** The stored reply of one request, or of one request of a batch. */
class Memory implements IdempotentRequest {
  readonly #options: MemoryOptions;
  /** Those of the requests of a batch, by their index. */
  readonly #subrequests = new Map<number, Memory>();
  #isKept = false;
  #isBegun = false;
  #isOutcomeUnknown = false;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  get isOutcomeUnknown(): boolean {
    return this.#isOutcomeUnknown;
  }

  saveResponses(replies: readonly ResponseToSave[]): Write {
    const { key, content, owner, expiresAt, cipher, isPart = false } = this.#options;
    const texts = replies.map(({ response: reply, echo }) => {
      const of = echo && { className: echo.schema.className, id: echo.id, names: echo.fields };
      return { text: cipher.encrypt(JSON.stringify({ ...reply, of })), ...(echo && { echo }) };
    });
    const length = texts.reduce((sum, { text }) => sum + text.length, 0);
    return {
      kind: "saveReplies",
      key,
      contentHash: content,
      owner,
      expiresAt,
      isSubrequest: isPart && !this.#isBegun,
      replies: length > MAX_REPLY_LENGTH ? [] : texts,
    };
  }

  markCommitted(): void {
    this.#isKept = true;
  }

  subrequest(place: number): Memory {
    const known = this.#subrequests.get(place);
    if (known) return known;
    const part = new Memory({ ...this.#options, key: `${this.#options.key}#${place}`, isPart: true });
    this.#subrequests.set(place, part);
    return part;
  }

  async executeOnce<Result>(execute: () => Promise<Result>): Promise<Result> {
    const { key, content: contentHash, owner, expiresAt, store } = this.#options;
    const request = { key, contentHash, owner, leaseExpiresAt: store.now(), expiresAt };
    await store.write([{ kind: "beginRequest", ...request, isRepeatable: false }]);
    this.#isBegun = true;
    try {
      return await execute();
    } catch (error) {
      this.#isOutcomeUnknown =
        error instanceof WriteOutcomeUnknownError || error instanceof OutcomeUnknownError;
      throw error;
    }
  }

  async completedSubrequests(): Promise<Map<number, IdempotentResponse>> {
    const { store, key, cipher, request } = this.#options;
    const found = new Map<number, IdempotentResponse>();
    for (const [place, answer] of await store.getSubrequestReplies(key)) {
      const [reply] = decryptReplies(answer ?? "", cipher) ?? [];
      const error = answer === null ? interruptedRequest() : executedRequest();
      const rejection = { status: 400, body: JSON.stringify(error) };
      found.set(Number(place), reply ? await withCurrentFields(reply, request, this.#options) : rejection);
    }
    return found;
  }

  async continueLater(completed: ReadonlyMap<number, IdempotentResponse>): Promise<void> {
    const { key, owner, store } = this.#options;
    for (const [place, response] of completed) await this.subrequest(place).saveIfMissing(response);
    const failed = [...this.#subrequests].flatMap(([place, part]) => (completed.has(place) ? [] : [part]));
    const repeatable = failed.filter((part) => part.#isBegun && !part.#isOutcomeUnknown);
    const keys = [...repeatable.map((part) => part.#options.key), key];
    await store.write(keys.map((each) => ({ kind: "deleteRequest", key: each, owner })));
    this.#isKept = true;
  }

  /** Stores a reply, unless a write has stored it, or it is too long and the request may be executed again. */
  async saveIfMissing(response: IdempotentResponse): Promise<void> {
    const saved = this.saveResponses([{ response }]);
    if (this.#isBegun || !isTooLong(saved)) await this.#writeOnce(saved);
  }

  renew(): void {
    const { key, owner, store } = this.#options;
    const runningUntil = store.now() + RUN_LEASE_MS;
    // If the renewal fails, another process may take over, and writes from here are rejected.
    store.write([{ kind: "renewRequest", key, owner, leaseExpiresAt: runningUntil }]).catch(() => undefined);
  }

  /** Stores a reply that is too long for the database. */
  async #saveLongReply(reply: ApiReply): Promise<void> {
    const { key, owner, expiresAt, cipher, store, longReplies } = this.#options;
    if (!longReplies || reply.body.length > MAX_LONG_REPLY_LENGTH) return;
    const { status, body, headers } = reply;
    const stored: StoredReply[] = [{ text: cipher.encrypt(JSON.stringify({ status, body, headers })) }];
    // Without it, a repetition is rejected.
    await longReplies
      .save(longReplyKey(key, owner), JSON.stringify(stored), expiresAt - store.now())
      .catch(() => undefined);
  }

  /** Stores a reply that no write has stored. */
  async finish(reply: ApiReply): Promise<void> {
    if (this.#isKept) return;
    const saved = this.saveResponses([{ response: reply }]);
    if (isTooLong(saved)) await this.#saveLongReply(reply);
    // Otherwise another process has taken over, and answers retries.
    await this.#writeOnce(saved);
  }

  async #writeOnce(write: Write): Promise<void> {
    try {
      await this.#options.store.write([write]);
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_REQUEST)) throw error;
    }
  }
}

/** Whether a write stores none of the replies because they are too long for the database. */
function isTooLong(write: Write): boolean {
  return write.kind === "saveReplies" && write.replies.length === 0;
}

/** The key of a long reply. Each process has its own; the record in the database names the process that replied. */
function longReplyKey(key: string, owner: string): string {
  return `reply:${key}:${owner}`;
}

/** Returns a reply as it was sent, with the fields that its write resulted in. */
async function withCurrentFields(
  { of, values, ...reply }: DecryptedReply,
  request: RequestContext,
  { rememberedFields }: Pick<IdempotencyOptions, "rememberedFields">,
): Promise<ApiReply> {
  if (!of || !values) return reply;
  const body: unknown = JSON.parse(reply.body);
  if (!isJsonObject(body)) return reply;
  const { updatedAt, ...others } = body;
  const fields = await rememberedFields(request, { ...of, values });
  return { ...reply, body: JSON.stringify({ updatedAt, ...fields, ...others }) };
}

function duplicateRequest(): ProtocolError {
  return new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "Duplicate request");
}

/** The request has been executed, but its reply was too long to be stored, or has been discarded. */
function executedRequest(): ProtocolError {
  return new ProtocolError(
    ErrorCode.DUPLICATE_REQUEST,
    "Duplicate request: it has been executed, but its response is not stored",
  );
}

function interruptedRequest(): ProtocolError {
  return new ProtocolError(
    ErrorCode.DUPLICATE_REQUEST,
    "Duplicate request: it repeats one that was interrupted or took too long, whose outcome is unknown",
  );
}

/** Hashes everything the request contains, including credentials: a reply is only for its sender. */
function hashRequest({ isRetry: _, ...fields }: Envelope, path: string): string {
  return createHash("sha256")
    .update(JSON.stringify([path, fields]))
    .digest("base64");
}
