import { sendRequest } from "@purse/outbound";
import { isJsonObject, type JsonObject, parseWhere, wireDate } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import { OutageLog } from "../core/outageLog.ts";
import { storableText } from "../core/storableText.ts";
import { trace, traceHeaders } from "../core/tracing/tracing.ts";
import { webhookFailure } from "../core/webhookFailure.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import { LeaseLostError } from "../database/lease.ts";
import { findRows, serverQuery, updateRow } from "../database/serverRows.ts";
import type { Store, Write } from "../database/store.ts";
import { numberField, stringField } from "./rowFields.ts";

export interface WebhookQueueDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  /** The class of the messages, which has the fields of `_ChainMessage`. */
  className: string;
  /** Returns how to send a message, which has been tried `attempts` times before. */
  requestOf(message: JsonObject, attempts: number): WebhookRequest;
  /** Whether the messages of a source wait until it is resumed. */
  isPaused?(source: string): boolean;
  /** Returns writes for the transaction that stores the outcome of an attempt; `error` is undefined if it succeeded. */
  outcomeWrites?(message: JsonObject, error: string | undefined): Write[];
  /** Whether webhooks may have private addresses. */
  allowPrivate: boolean;
  /** Whether this process holds the lease. */
  isActive(): boolean;
  clock(): number;
  logger: Logger;
}

/** How to send a message. */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Number of sources that are delivered concurrently; messages of one source per batch, and time limit of a batch in ms.
 */
const MAX_CONCURRENT_SOURCES = 50;
const BATCH_SIZE = 50;
const MAX_BATCH_MS = 10_000;
/** An operator may requeue a message before it is due, so deferred sources are checked at this interval, in ms. */
const MAX_DEFER_MS = 10_000;
/** Maximum size of a response in bytes; it is ignored. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Messages fail after the last attempt, after about a day and a half. The delays between attempts double. */
export const DELIVERY_POLICY = {
  attempts: 45,
  timeoutMs: 10_000,
  firstDelayMs: 500,
  maxDelayMs: 3_600_000,
} as const;
/** How long delivered messages are retained, in ms. */
const RETENTION_MS = 7 * 24 * 3_600_000;

/**
 * Delivers events to webhooks. Messages are written in the transaction of the objects and sent from the database: at
 * least once, in order per source, and retried until the server responds with 2xx.
 */
export class WebhookQueue {
  readonly #dependencies: WebhookQueueDependencies;
  readonly #outages: OutageLog;
  /** Current deliveries by source. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** When deferred sources are checked again. */
  readonly #deferredUntil = new Map<string, number>();
  #lastSource = "";
  #sweptAt = 0;

  constructor(dependencies: WebhookQueueDependencies) {
    this.#dependencies = dependencies;
    this.#outages = new OutageLog(dependencies.logger);
  }

  /**
   * Starts delivering due messages, each source independently: a webhook that hangs delays only its own source.
   * `onHasMore` is called if a source has more messages to send.
   */
  async deliverDue(onHasMore: () => void): Promise<void> {
    const { clock } = this.#dependencies;
    const sources = await this.#pendingSources();
    for (const source of this.#deferredUntil.keys())
      if (!sources.includes(source)) this.#deferredUntil.delete(source);
    for (const source of sources) {
      if (this.#inFlight.size >= MAX_CONCURRENT_SOURCES) break;
      if (
        this.#inFlight.has(source) ||
        isUpcoming(this.#deferredUntil.get(source) ?? 0, clock(), MAX_DEFER_MS)
      )
        continue;
      this.#lastSource = source;
      const delivery = this.#deliverSource(source)
        .then(
          (hasMore) => {
            this.#outages.succeeded(source, "webhook messages are sent again", { source });
            return hasMore;
          },
          (error: unknown) => {
            if (!(error instanceof LeaseLostError)) {
              const details = { source, error: String(error) };
              this.#outages.failed(source, "webhook messages could not be sent", details);
            }
            return false;
          },
        )
        .then((hasMore) => {
          this.#inFlight.delete(source);
          if (hasMore) onHasMore();
        });
      this.#inFlight.set(source, delivery);
    }
    await this.#sweep();
  }

  /** Resolves when no delivery is in progress. */
  async waitForIdle(): Promise<void> {
    await Promise.all(this.#inFlight.values());
  }

  /** Sources with waiting messages, starting after the one that was served last. */
  async #pendingSources(): Promise<string[]> {
    const { store, schemaOf, className, isPaused } = this.#dependencies;
    const query = serverQuery(schemaOf(className), { where: parseWhere({ status: "waiting" }) });
    const unsorted = (await store.distinct(query, ["source"]))
      .filter((source) => typeof source === "string")
      .filter((source) => !isPaused?.(source));
    const sorted = unsorted.sort();
    const next = sorted.findIndex((source) => source > this.#lastSource);
    return next < 0 ? sorted : [...sorted.slice(next), ...sorted.slice(0, next)];
  }

  async #deliverSource(source: string): Promise<boolean> {
    const { store, schemaOf, className, clock } = this.#dependencies;
    const rows = await findRows(store, schemaOf(className), {
      where: parseWhere({ status: "waiting", source }),
      order: "sequence",
      limit: BATCH_SIZE,
    });
    const end = clock() + MAX_BATCH_MS;
    for (const message of rows) {
      if (!this.#dependencies.isActive() || this.#dependencies.isPaused?.(source)) return false;
      if (clock() > end) return true;
      const { nextAt } = message;
      const due = isJsonObject(nextAt) ? Date.parse(String(nextAt.iso)) : 0;
      // Later messages wait for it, to keep the order.
      if (isUpcoming(due, clock(), DELIVERY_POLICY.maxDelayMs)) {
        this.#deferredUntil.set(source, Math.min(due, clock() + MAX_DEFER_MS));
        return false;
      }
      if (!(await this.#deliver(message))) return false;
    }
    return rows.length === BATCH_SIZE;
  }

  /** Delivers a message. Returns whether the next one of its source may be sent. */
  async #deliver(message: JsonObject): Promise<boolean> {
    const { requestOf, clock, logger } = this.#dependencies;
    const attempts = numberField(message, "attempts") + 1;
    const request = requestOf(message, attempts - 1);
    const outcome = await this.#send(request).then(
      (status) => ({ status }),
      (error: unknown) => ({ error }),
    );
    // If the database fails, a delivered message is sent again; that is no failure of the webhook.
    if ("status" in outcome) {
      const deliveredAt = wireDate(new Date(clock()));
      await this.#updateDelivery(
        message,
        { status: "delivered", attempts, deliveredAt, answer: outcome.status, error: null },
        undefined,
      );
      return true;
    }
    const { error } = outcome;
    const { firstDelayMs, maxDelayMs } = DELIVERY_POLICY;
    const hasFailed = attempts >= DELIVERY_POLICY.attempts;
    const backoffMs = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(attempts - 1, 20));
    const reason = webhookFailure(error);
    const { url } = request;
    logger.warn("a webhook message could not be delivered", { url, attempts, error: reason });
    const fields = {
      status: hasFailed ? "failed" : "waiting",
      attempts,
      nextAt: wireDate(new Date(clock() + backoffMs)),
      answer: error instanceof HttpStatusError ? error.status : null,
      error: storableText(reason, 300),
    };
    await this.#updateDelivery(message, fields, fields.error);
    return hasFailed;
  }

  /** Returns the status of the response. Rejects if it is not a success. */
  async #send(request: WebhookRequest): Promise<number> {
    const { status } = await trace(
      "webhook",
      () =>
        sendRequest({
          ...request,
          headers: { ...request.headers, ...traceHeaders() },
          deadlineMs: DELIVERY_POLICY.timeoutMs,
          maxBytes: MAX_RESPONSE_BYTES,
          allowPrivate: this.#dependencies.allowPrivate,
        }),
      () => ({ kind: "client", attributes: { "server.address": new URL(request.url).host } }),
    );
    if (status < 200 || status >= 300) throw new HttpStatusError(status);
    return status;
  }

  async #updateDelivery(message: JsonObject, fields: JsonObject, error: string | undefined): Promise<void> {
    const { store, schemaOf, className, clock, outcomeWrites } = this.#dependencies;
    const id = stringField(message, "objectId");
    await store.write([
      updateRow(schemaOf(className), id, clock(), fields),
      ...(outcomeWrites?.(message, error) ?? []),
    ]);
  }

  /** Deletes messages that were delivered long ago. */
  async #sweep(): Promise<void> {
    const { store, schemaOf, className, clock } = this.#dependencies;
    if (Math.abs(clock() - this.#sweptAt) < 3_600_000) return;
    this.#sweptAt = clock();
    const schema = schemaOf(className);
    const before = wireDate(new Date(clock() - RETENTION_MS));
    const where = parseWhere({
      status: "delivered",
      deliveredAt: { $lt: before },
      pending: { $exists: false },
    });
    const rows = await findRows(store, schema, { where, limit: 1_000 });
    const ids = rows.map(({ objectId }) => String(objectId));
    if (ids.length > 0) await store.write(ids.map((id) => ({ kind: "delete", schema, id, subjects: null })));
  }
}

/** The webhook responded with an error status. */
class HttpStatusError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the server responded with ${status}`);
    this.status = status;
  }
}

/** Whether a time is in the future; a time too far ahead was written by a clock that was wrong. */
function isUpcoming(time: number, now: number, maxAheadMs: number): boolean {
  return time > now && time <= now + maxAheadMs;
}
