import type { OutboundResponse } from "@purse/outbound";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { isSecretName } from "../../core/logger.ts";
import { webhookFailure } from "../../core/webhookFailure.ts";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { Webhook } from "../../data/webhookRow.ts";
import type { StudioHookCall } from "../../studioApi/webhooks.ts";

/** Maximum number of recorded calls, and of characters of each recorded text. */
const MAX_CALLS = 1_000;
const MAX_TEXT_LENGTH = 20_000;

export interface WebhookCallFilter {
  outcome?: "answered" | "failed" | undefined;
  /** ID of a call; only older calls are returned. */
  after?: string | undefined;
  limit: number;
}

/** A call that an operator repeats, or tries with an example. */
type OperatorCall = "replay" | "test";

/** Records the latest webhook calls of this process, in memory and without secrets, for operators. */
export class WebhookCallLog {
  readonly #clock: () => number;
  /** Newest first. */
  #calls: StudioHookCall[] = [];

  readonly #onFailed: (name: string, message: string) => void;

  /** `onFailed` is called for calls without a valid response. */
  constructor(clock: () => number, onFailed: (name: string, message: string) => void = () => {}) {
    this.#clock = clock;
    this.#onFailed = onFailed;
  }

  /** Sends a call and records it; returns its response or throws its error. */
  async record(
    webhook: Webhook,
    fields: JsonObject,
    send: () => Promise<OutboundResponse>,
  ): Promise<OutboundResponse> {
    const { answer, error } = await this.#track(webhook, fields, send);
    if (answer) return answer;
    throw error;
  }

  /** Sends a call that an operator repeats or tries, and records it; returns the record, also of a failure. */
  async try(
    webhook: Webhook,
    fields: JsonObject,
    send: () => Promise<OutboundResponse>,
    kind: OperatorCall,
  ): Promise<StudioHookCall> {
    return (await this.#track(webhook, fields, send, kind)).call;
  }

  async #track(
    webhook: Webhook,
    fields: JsonObject,
    send: () => Promise<OutboundResponse>,
    kind?: OperatorCall,
  ) {
    const started = performance.now();
    const elapsed = () => Math.round((performance.now() - started) * 10) / 10;
    const base = {
      id: newObjectId(),
      at: new Date(this.#clock()).toISOString(),
      hook: webhookName(webhook),
      url: webhook.url,
      request: truncate(redact(fields)),
      isReplay: kind === "replay",
      isTest: kind === "test",
    };
    try {
      const answer = await send();
      const { text, problem } = readBody(answer.body);
      const call = this.#add({
        ...base,
        ms: elapsed(),
        status: answer.status,
        answer: truncate(text),
        ...(problem !== undefined && { error: problem }),
      });
      return { call, answer };
    } catch (error) {
      return {
        call: this.#add({ ...base, ms: elapsed(), error: webhookFailure(error).slice(0, 300) }),
        error,
      };
    }
  }

  /** Lists recorded calls, newest first. */
  list({ outcome, after, limit }: WebhookCallFilter): { results: StudioHookCall[]; next?: string } {
    const matching = this.#calls.filter(
      ({ error }) => outcome === undefined || (error === undefined) === (outcome === "answered"),
    );
    const from = after === undefined ? 0 : matching.findIndex(({ id }) => id === after) + 1;
    // If the call is no longer recorded, neither are older ones.
    if (after !== undefined && from === 0) return { results: [] };
    const results = matching.slice(from, from + limit);
    const last = from + limit < matching.length ? results.at(-1)?.id : undefined;
    return { results, ...(last !== undefined && { next: last }) };
  }

  /** Returns a recorded call. Throws 101. */
  get(id: string): StudioHookCall {
    const call = this.#calls.find((each) => each.id === id);
    if (call) return call;
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The webhook call was not found.");
  }

  #add(call: StudioHookCall): StudioHookCall {
    if (call.error !== undefined && !call.isReplay && !call.isTest) this.#onFailed(call.hook, call.error);
    this.#calls = [call, ...this.#calls.slice(0, MAX_CALLS - 1)];
    return call;
  }
}

/** Display name: the function's name, or the trigger and class, such as `beforeSave.Note`. */
export function webhookName(webhook: Webhook): string {
  return "functionName" in webhook ? webhook.functionName : `${webhook.triggerName}.${webhook.className}`;
}

function redact(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => (isSecretName(name) ? "[redacted]" : inner)) ?? "";
}

function readBody(body: string): { text: string; problem?: string } {
  if (body === "") return { text: "" };
  try {
    return { text: redact(JSON.parse(body)) };
  } catch {
    return { text: body, problem: "The response is not JSON." };
  }
}

function truncate(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}
