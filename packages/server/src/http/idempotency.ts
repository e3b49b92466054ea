import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  ProtocolError,
  parseAcl,
  principalsWith,
} from "@purse/protocol";
import { type Caller, principalsOf } from "../caller.ts";
import type { RememberedReply, RepliedWrite, RequestMemory } from "../objects/requestMemory.ts";
import type { KnownRequest, StoredReply } from "../store/requests.ts";
import type { Store, Write } from "../store/store.ts";
import type { ApiReply, ApiRoute } from "./api.ts";
import type { Envelope } from "./envelope.ts";

/** Answers that are longer than this are not kept, in characters; nor are the oldest beyond so many in all. */
const LONGEST_ANSWER = 16_384;
const MAX_ANSWERS_LENGTH = 64 * 1024 * 1024;
/** After so many requests it is looked whether too much is kept. */
const SWEEP_AFTER = 2_000;
/** A process that has not said for so long that it carries a request out has ended, in ms. */
const RUNNING_MS = 5_000;
const RENEW_MS = 2_000;
/** How long a repetition waits for what another process comes to, in ms, and how often it looks. */
const WAIT_MS = 15_000;
const LOOK_MS = 150;

export interface IdempotencyOptions {
  store: Store;
  /** Paths below the mount path on which a request with an id is carried out once. */
  paths: RegExp[];
  /** How long a request's id is remembered. */
  seconds: number;
  /** Stored objects as clients are told them: with the addresses of files. */
  expand(body: JsonObject): JsonObject;
}

type Run = (memory: RequestMemory | undefined) => Promise<ApiReply>;

/**
 * Carries out a request with an id once, however often it is sent, to whichever process: what it writes and what is
 * remembered of it are one transaction. A repetition is refused with 159; a client that says that it repeats a request, as
 * its answer was lost, gets the answer. A request that failed may be sent again. What happens to one whose process ended
 * amid it says `retry` of its route.
 */
export function createOnce(options: IdempotencyOptions) {
  const { store, paths, seconds } = options;
  const owner = randomUUID();
  /** What this process carries out now; undefined for what another process does. */
  const running = new Map<string, { content: string; attempt: Promise<ApiReply | undefined> }>();
  let begun = 0;

  return async function once(
    envelope: Envelope,
    path: string,
    { caller, retry }: { caller: Caller; retry: ApiRoute["retry"] },
    run: Run,
  ): Promise<ApiReply> {
    const { method, clientRequestId, isRepetition } = envelope;
    const isWrite = method === "POST" || method === "PUT";
    if (clientRequestId === undefined || !isWrite || !paths.some((each) => each.test(path.slice(1)))) {
      return run(undefined);
    }
    const content = contentOf(envelope, path);
    const seal = sealOf(clientRequestId, content);
    const key = createHash("sha256").update(clientRequestId).digest("base64url");
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const here = running.get(key);
      if (here && !(isRepetition && here.content === content)) throw duplicate();
      const attempt = here?.attempt ?? begin();
      if (!here) running.set(key, { content, attempt });
      const reply = await attempt.finally(() => here ?? running.delete(key));
      if (reply) return reply;
      // It has been begun before, here or elsewhere.
      const known = await store.requestOf(key);
      if (known?.answer !== undefined && known.answer !== null) return answerOf(known, known.answer);
      const isInterrupted = known && known.runningUntil <= store.now();
      if (isInterrupted && retry === undefined) throw interrupted();
      if (performance.now() > deadline) throw duplicate();
      await sleep(LOOK_MS);
    }

    /** Carries the request out; undefined where it has been begun before. */
    async function begin(): Promise<ApiReply | undefined> {
      const now = store.now();
      const isBegun = await isWritten({
        kind: "beginRequest",
        key,
        content,
        owner,
        runningUntil: now + RUNNING_MS,
        expiresAt: now + seconds * 1_000,
        repeatable: retry !== undefined,
      });
      if (!isBegun) return undefined;
      const expiresAt = now + seconds * 1_000;
      const { expand } = options;
      const memory = new Memory({ key, content, owner, expiresAt, seal, store, caller, expand });
      const renewal = setInterval(() => memory.renew(), RENEW_MS).unref();
      try {
        const reply = await run(retry === "write" ? memory : undefined);
        await memory.finish(reply);
        sweepSometimes();
        return reply;
      } catch (error) {
        // What may have been written is found by a repetition, once it is known.
        if (!isOutcomeUnknown(error)) await store.write([{ kind: "forgetRequest", key, owner }]);
        throw error;
      } finally {
        clearInterval(renewal);
      }
    }

    function answerOf(known: KnownRequest, answer: string): ApiReply {
      const reply = isRepetition && known.content === content ? opened(answer, seal) : undefined;
      if (!reply) throw duplicate();
      return withEcho(reply, caller, options.expand);
    }
  };

  async function isWritten(step: Write): Promise<boolean> {
    try {
      await store.write([step]);
      return true;
    } catch (error) {
      if (error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_REQUEST) return false;
      throw error;
    }
  }

  function sweepSometimes(): void {
    begun += 1;
    if (begun % SWEEP_AFTER !== 0) return;
    // Done again after as many more; and the store does it from time to time.
    store.sweepRequests(MAX_ANSWERS_LENGTH).catch(() => undefined);
  }
}

interface Seal {
  close(text: string): string;
  open(sealed: string): string | undefined;
}

interface MemoryOptions {
  key: string;
  content: string;
  owner: string;
  expiresAt: number;
  seal: Seal;
  store: Store;
  caller: Caller;
  expand: IdempotencyOptions["expand"];
  isPart?: boolean;
}

/** What is remembered of one request, or of one part of a batch. */
class Memory implements RequestMemory {
  readonly #options: MemoryOptions;
  #isKept = false;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  remember(replies: readonly RepliedWrite[]): Write {
    const { key, content, owner, expiresAt, seal, isPart = false } = this.#options;
    const texts = replies.map(({ reply, echo }) => ({
      text: seal.close(JSON.stringify(reply)),
      ...(echo && { echo }),
    }));
    const isLong = texts.reduce((sum, { text }) => sum + text.length, 0) > LONGEST_ANSWER;
    return { kind: "remember", key, content, owner, expiresAt, part: isPart, replies: isLong ? [] : texts };
  }

  kept(): void {
    this.#isKept = true;
  }

  part(place: number): RequestMemory {
    return new Memory({ ...this.#options, key: `${this.#options.key}#${place}`, isPart: true });
  }

  async parts(): Promise<Map<number, RememberedReply>> {
    const { store, key, seal, caller, expand } = this.#options;
    const found = new Map<number, RememberedReply>();
    for (const [place, answer] of await store.partsOf(key)) {
      const [reply] = openedAll(answer, seal) ?? [];
      if (reply) found.set(Number(place), completed(reply, caller, expand));
    }
    return found;
  }

  renew(): void {
    const { key, owner, store } = this.#options;
    const runningUntil = store.now() + RUNNING_MS;
    // Where it cannot be said, another process may take over, and what is written here is refused.
    store.write([{ kind: "renewRequest", key, owner, runningUntil }]).catch(() => undefined);
  }

  /** Remembers an answer that no write has remembered. */
  async finish(reply: ApiReply): Promise<void> {
    if (this.#isKept) return;
    try {
      await this.#options.store.write([this.remember([{ reply }])]);
    } catch (error) {
      // Another process has taken over, and answers whoever asks again.
      if (!(error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_REQUEST)) throw error;
    }
  }
}

interface OpenedReply extends RememberedReply {
  echo?: JsonObject;
}

function openedAll(answer: string, seal: Seal): OpenedReply[] | undefined {
  if (answer === "") return undefined;
  const stored: StoredReply[] = JSON.parse(answer);
  const replies = stored.flatMap(({ text, echo }) => {
    const opened = seal.open(text);
    if (opened === undefined) return [];
    const reply: RememberedReply = JSON.parse(opened);
    return [{ ...reply, ...(echo && { echo }) }];
  });
  return replies.length === stored.length ? replies : undefined;
}

/** One reply, or those of a batch as one. */
function opened(answer: string, seal: Seal): OpenedReply[] | undefined {
  const replies = openedAll(answer, seal);
  return replies && replies.length > 0 ? replies : undefined;
}

function withEcho(replies: OpenedReply[], caller: Caller, expand: IdempotencyOptions["expand"]): ApiReply {
  const [only] = replies;
  if (only && !only.isPart) return completed(only, caller, expand);
  const parts = replies.map((each) => `{"success":${completed(each, caller, expand).body}}`);
  return { status: 200, body: `[${parts.join()}]` };
}

/** Who may write but not read an object gets no values of it back. */
function completed(
  { echo, ...reply }: OpenedReply,
  caller: Caller,
  expand: IdempotencyOptions["expand"],
): ApiReply {
  if (!echo) return reply;
  const { ACL, ...values } = echo;
  const readers = principalsWith(ACL === undefined || ACL === null ? undefined : parseAcl(ACL), "read");
  const principals = principalsOf(caller);
  const mayRead =
    readers === null || principals === null || readers.some((each) => principals.includes(each));
  const body: unknown = JSON.parse(reply.body);
  if (!mayRead || !isJsonObject(body)) return reply;
  const { updatedAt, ...others } = body;
  return { ...reply, body: JSON.stringify({ updatedAt, ...expand(values), ...others }) };
}

function duplicate(): ProtocolError {
  return new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "Duplicate request");
}

function interrupted(): ProtocolError {
  return new ProtocolError(
    ErrorCode.DUPLICATE_REQUEST,
    "Duplicate request: the server ended while it carried out the first, and whether it did is not known",
  );
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ProtocolError && error.status === 503 && error.code === ErrorCode.TIMEOUT;
}

/** Of all that the request says, credentials included: an answer is for nobody but who has asked. */
function contentOf({ isRepetition: _, ...said }: Envelope, path: string): string {
  return createHash("sha256")
    .update(JSON.stringify([path, said]))
    .digest("base64");
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Answers may hold session tokens: they can be read only by who knows the id of the request, which is not stored. */
function sealOf(clientRequestId: string, content: string): Seal {
  const derive = (): Buffer => Buffer.from(hkdfSync("sha256", clientRequestId, content, "answer", 32));
  let secret: Buffer | undefined;
  return {
    close(text) {
      secret ??= derive();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", secret, iv);
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
    },
    open(sealed) {
      secret ??= derive();
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        return (
          decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
        );
      } catch {
        // Sealed for another request.
        return undefined;
      }
    },
  };
}
