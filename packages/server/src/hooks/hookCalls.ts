import { ErrorCode, type JsonObject, ProtocolError, type StudioHookCall } from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import { isSecretName } from "../observe/logger.ts";
import type { OutboundResponse } from "../outbound/sendRequest.ts";
import type { Hook } from "./hookStore.ts";

/** How many calls are kept, and of each of its texts how many characters. */
const MOST = 1_000;
const MOST_CHARACTERS = 20_000;

export interface CallFilter {
  outcome?: "answered" | "failed" | undefined;
  /** The id of a call: those before it. */
  after?: string | undefined;
  limit: number;
}

/** The last calls of hooks by this process, in memory and without secrets, for operators. */
export class HookCalls {
  readonly #clock: () => number;
  /** The newest first. */
  #kept: StudioHookCall[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Keeps what a call was and came to, and answers or throws what it does. */
  async record(
    hook: Hook,
    fields: JsonObject,
    ask: () => Promise<OutboundResponse>,
  ): Promise<OutboundResponse> {
    const { answer, error } = await this.#watch(hook, fields, ask, false);
    if (answer) return answer;
    throw error;
  }

  /** The same for a call that an operator has made once more: what it came to is the answer, failures too. */
  async replay(
    hook: Hook,
    fields: JsonObject,
    ask: () => Promise<OutboundResponse>,
  ): Promise<StudioHookCall> {
    return (await this.#watch(hook, fields, ask, true)).call;
  }

  async #watch(hook: Hook, fields: JsonObject, ask: () => Promise<OutboundResponse>, isReplay: boolean) {
    const started = this.#clock();
    const about = {
      id: newObjectId(),
      at: new Date(started).toISOString(),
      hook: hookName(hook),
      url: hook.url,
      request: shortened(withoutSecrets(fields)),
      isReplay,
    };
    try {
      const answer = await ask();
      const { text, problem } = readable(answer.body);
      const call = this.#keep({
        ...about,
        ms: this.#clock() - started,
        status: answer.status,
        answer: shortened(text),
        ...(problem !== undefined && { error: problem }),
      });
      return { call, answer };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return {
        call: this.#keep({ ...about, ms: this.#clock() - started, error: reason.slice(0, 300) }),
        error,
      };
    }
  }

  /** The newest first. */
  list({ outcome, after, limit }: CallFilter): { results: StudioHookCall[]; next?: string } {
    const wanted = this.#kept.filter(
      ({ error }) => outcome === undefined || (error === undefined) === (outcome === "answered"),
    );
    const from = after === undefined ? 0 : wanted.findIndex(({ id }) => id === after) + 1;
    // A call that is kept no longer had nothing kept behind it either.
    if (after !== undefined && from === 0) return { results: [] };
    const results = wanted.slice(from, from + limit);
    const last = from + limit < wanted.length ? results.at(-1)?.id : undefined;
    return { results, ...(last !== undefined && { next: last }) };
  }

  /** Throws 101. */
  get(id: string): StudioHookCall {
    const call = this.#kept.find((each) => each.id === id);
    if (call) return call;
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such call, or not any more.");
  }

  #keep(call: StudioHookCall): StudioHookCall {
    this.#kept = [call, ...this.#kept.slice(0, MOST - 1)];
    return call;
  }
}

/** The function's name, or `beforeSave.Note`. */
export function hookName(hook: Hook): string {
  return "functionName" in hook ? hook.functionName : `${hook.triggerName}.${hook.className}`;
}

function withoutSecrets(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => (isSecretName(name) ? "[redacted]" : inner)) ?? "";
}

function readable(body: string): { text: string; problem?: string } {
  if (body === "") return { text: "" };
  try {
    return { text: withoutSecrets(JSON.parse(body)) };
  } catch {
    return { text: body, problem: "The answer is not JSON." };
  }
}

function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
