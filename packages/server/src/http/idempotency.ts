import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { RememberedFields } from "../objects/changedFields.ts";
import type { RememberedReply, RepliedWrite, RequestMemory } from "../objects/requestMemory.ts";
import type { KnownRequest, StoredReply } from "../store/requests.ts";
import type { Store, Write } from "../store/store.ts";
import { WriteOutcomeUnknownError } from "../store/writeOutcome.ts";
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
  /** Fields that a write returned, as far as the same client may read them now. */
  rememberedFields(request: RequestContext, fields: RememberedFields): Promise<JsonObject>;
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
    request: RequestContext,
    retry: ApiRoute["retry"],
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
      const { rememberedFields } = options;
      const memory = new Memory({ key, content, owner, expiresAt, seal, store, request, rememberedFields });
      const renewal = setInterval(() => memory.renew(), RENEW_MS).unref();
      try {
        const reply = await run(retry === "write" ? memory : undefined);
        await memory.finish(reply);
        sweepSometimes();
        return reply;
      } catch (error) {
        // What may have been written is found by a repetition, once it is known.
        if (!(error instanceof WriteOutcomeUnknownError))
          await store.write([{ kind: "forgetRequest", key, owner }]);
        throw error;
      } finally {
        clearInterval(renewal);
      }
    }

    async function answerOf(known: KnownRequest, answer: string): Promise<ApiReply> {
      const replies = isRepetition && known.content === content ? openedAll(answer, seal) : undefined;
      const [first] = replies ?? [];
      if (!replies || !first) throw duplicate();
      const completed = await Promise.all(replies.map((reply) => complete(reply, request, options)));
      const [only] = completed;
      if (only && !first.isPart) return only;
      return { status: 200, body: `[${completed.map(({ body }) => `{"success":${body}}`).join()}]` };
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
  request: RequestContext;
  rememberedFields: IdempotencyOptions["rememberedFields"];
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
    const texts = replies.map(({ reply, echo }) => {
      const of = echo && { className: echo.schema.className, id: echo.id, names: echo.fields };
      return { text: seal.close(JSON.stringify({ ...reply, of })), ...(echo && { echo }) };
    });
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
    const { store, key, seal, request } = this.#options;
    const found = new Map<number, RememberedReply>();
    for (const [place, answer] of await store.partsOf(key)) {
      const [reply] = openedAll(answer, seal) ?? [];
      if (reply) found.set(Number(place), await complete(reply, request, this.#options));
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
  /** The object whose fields the reply has, too. */
  of?: Omit<RememberedFields, "values">;
  values?: JsonObject;
}

/** Undefined where an answer is not kept, or was sealed for another request. */
function openedAll(answer: string, seal: Seal): OpenedReply[] | undefined {
  if (answer === "") return undefined;
  const stored: StoredReply[] = JSON.parse(answer);
  const replies = stored.flatMap(({ text, echo }): OpenedReply[] => {
    const opened = seal.open(text);
    if (opened === undefined) return [];
    const reply: RememberedReply = JSON.parse(opened);
    return [{ ...reply, ...(echo && { values: echo }) }];
  });
  return replies.length === stored.length ? replies : undefined;
}

/** A reply as it was sent, with the fields that its write has resulted in. */
async function complete(
  { of, values, ...reply }: OpenedReply,
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

function duplicate(): ProtocolError {
  return new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "Duplicate request");
}

function interrupted(): ProtocolError {
  return new ProtocolError(
    ErrorCode.DUPLICATE_REQUEST,
    "Duplicate request: the server ended while it carried out the first, and whether it did is not known",
  );
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
