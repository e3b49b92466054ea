import { sendRequest } from "@purse/outbound";
import { isJsonObject, type JsonObject, parseWhere, wireDate } from "@purse/protocol";
import type { Logger } from "../core/logger.ts";
import { signedHeaders } from "../core/webhookSignature.ts";
import { newObjectId } from "../data/objects/objectId.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import { LeaseLostError } from "../database/lease.ts";
import type { Store, Write } from "../database/store.ts";
import { type EventChange, numberField, stringField } from "./eventWriter.ts";
import type { Watch } from "./watch.ts";

export interface WebhookQueueDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  /** The key that signs messages; without it they are not signed. */
  webhookKey: string | undefined;
  /** Whether webhooks may have private addresses. */
  allowPrivate: boolean;
  /** Whether this process holds the lease. */
  isActive(): boolean;
  clock(): number;
  logger: Logger;
}

const CLASS = "_ChainMessage";
/**
 * Number of sources that are delivered concurrently; messages of one source per batch, and time limit of a batch in ms.
 */
const MAX_CONCURRENT_SOURCES = 50;
const BATCH_SIZE = 50;
const MAX_BATCH_MS = 10_000;
/** An operator may requeue a message before it is due, so deferred sources are checked at this interval, in ms. */
const MAX_DEFER_MS = 10_000;
const TIMEOUT_MS = 10_000;
/** Maximum size of a response in bytes; it is ignored. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Number of attempts before a message fails, after about a day and a half. */
export const MAX_ATTEMPTS = 45;
const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 3_600_000;
/** How long delivered messages are retained, in ms. */
const RETENTION_MS = 7 * 24 * 3_600_000;

/**
 * Delivers events to webhooks. Messages are written in the transaction of the objects and sent from the database: at
 * least once, in order per source, and retried until the server responds with 2xx.
 */
export class WebhookQueue {
  readonly #dependencies: WebhookQueueDependencies;
  /** Current deliveries by source. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** When deferred sources are checked again. */
  readonly #deferredUntil = new Map<string, number>();
  #lastSource = "";
  #sweptAt = 0;

  constructor(dependencies: WebhookQueueDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the writes that enqueue messages to a watch's webhook. */
  enqueueWrites(watch: Watch, source: string, from: number, changes: EventChange[]): Write[] {
    const { schemaOf, clock } = this.#dependencies;
    const schema = schemaOf(CLASS);
    const at = new Date(clock()).toISOString();
    return changes.map(({ kind, object }, i): Write => {
      const id = newObjectId();
      const { ACL: _, ...payload } = object;
      const message: JsonObject = {
        objectId: id,
        createdAt: at,
        updatedAt: at,
        source,
        sequence: from + i,
        url: watch.webhook ?? "",
        body: {
          event: kind,
          watch: watch.id,
          sequence: from + i,
          object: { ...payload, className: watch.className },
        },
        status: "waiting",
        attempts: 0,
        nextAt: wireDate(new Date(at)),
      };
      return { kind: "create", schema, id, at, object: message };
    });
  }

  /**
   * Starts delivering due messages, each source independently: a webhook that hangs delays only its own source.
   * `onHasMore` is called if a source has more messages to send.
   */
  async deliverDue(onHasMore: () => void): Promise<void> {
    const { clock, logger } = this.#dependencies;
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
          (hasMore) => hasMore,
          (error: unknown) => {
            if (!(error instanceof LeaseLostError)) {
              logger.error("webhook messages could not be sent", { source, error: String(error) });
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
    const { store, schemaOf } = this.#dependencies;
    const where = parseWhere({ status: "waiting" });
    const query = { schema: schemaOf(CLASS), where, order: [], limit: undefined, skip: 0, subjects: null };
    const unsorted = (await store.distinct(query, ["source"])).filter((source) => typeof source === "string");
    const sorted = unsorted.sort();
    const next = sorted.findIndex((source) => source > this.#lastSource);
    return next < 0 ? sorted : [...sorted.slice(next), ...sorted.slice(0, next)];
  }

  async #deliverSource(source: string): Promise<boolean> {
    const { store, schemaOf, clock } = this.#dependencies;
    const texts = await store.find({
      schema: schemaOf(CLASS),
      where: parseWhere({ status: "waiting", source }),
      order: [{ path: ["sequence"], descending: false }],
      limit: BATCH_SIZE,
      skip: 0,
      subjects: null,
    });
    const end = clock() + MAX_BATCH_MS;
    for (const text of texts) {
      if (!this.#dependencies.isActive()) return false;
      if (clock() > end) return true;
      const message: JsonObject = JSON.parse(text);
      const { nextAt } = message;
      const due = isJsonObject(nextAt) ? Date.parse(String(nextAt.iso)) : 0;
      // Later messages wait for it, to keep the order.
      if (isUpcoming(due, clock(), MAX_BACKOFF_MS)) {
        this.#deferredUntil.set(source, Math.min(due, clock() + MAX_DEFER_MS));
        return false;
      }
      if (!(await this.#deliver(message))) return false;
    }
    return texts.length === BATCH_SIZE;
  }

  /** Delivers a message. Returns whether the next one of its source may be sent. */
  async #deliver(message: JsonObject): Promise<boolean> {
    const { webhookKey, allowPrivate, clock, logger } = this.#dependencies;
    const attempts = numberField(message, "attempts") + 1;
    const url = stringField(message, "url");
    const body = JSON.stringify(message.body);
    try {
      const headers = signedHeaders(webhookKey, body, clock());
      const response = await sendRequest({
        url,
        headers,
        body,
        deadlineMs: TIMEOUT_MS,
        maxBytes: MAX_RESPONSE_BYTES,
        allowPrivate,
      });
      if (response.status < 200 || response.status >= 300) throw new HttpStatusError(response.status);
      const deliveredAt = wireDate(new Date(clock()));
      await this.#updateDelivery(message, {
        status: "delivered",
        attempts,
        deliveredAt,
        answer: response.status,
        error: null,
      });
      return true;
    } catch (error) {
      const hasFailed = attempts >= MAX_ATTEMPTS;
      const backoffMs = Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** Math.min(attempts - 1, 20));
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("a webhook message could not be delivered", { url, attempts, error: reason });
      await this.#updateDelivery(message, {
        status: hasFailed ? "failed" : "waiting",
        attempts,
        nextAt: wireDate(new Date(clock() + backoffMs)),
        answer: error instanceof HttpStatusError ? error.status : null,
        error: reason.slice(0, 300),
      });
      return hasFailed;
    }
  }

  async #updateDelivery(message: JsonObject, fields: JsonObject): Promise<void> {
    const { store, schemaOf, clock } = this.#dependencies;
    const operations = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        value === null ? ({ op: "Delete" } as const) : ({ op: "Set", value } as const),
      ]),
    );
    const id = stringField(message, "objectId");
    const at = new Date(clock()).toISOString();
    await store.write([{ kind: "update", schema: schemaOf(CLASS), id, at, operations, subjects: null }]);
  }

  /** Deletes messages that were delivered long ago. */
  async #sweep(): Promise<void> {
    const { store, schemaOf, clock } = this.#dependencies;
    if (Math.abs(clock() - this.#sweptAt) < 3_600_000) return;
    this.#sweptAt = clock();
    const schema = schemaOf(CLASS);
    const before = wireDate(new Date(clock() - RETENTION_MS));
    const where = parseWhere({ status: "delivered", deliveredAt: { $lt: before } });
    const texts = await store.find({ schema, where, order: [], limit: 1_000, skip: 0, subjects: null });
    const ids = texts.map((text): string => JSON.parse(text).objectId);
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
