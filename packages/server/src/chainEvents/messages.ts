import { isJsonObject, type JsonObject, parseWhere, wireDate } from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import type { Log } from "../observe/log.ts";
import { post } from "../outbound/post.ts";
import { signedHeaders } from "../outbound/signature.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { LeaseLost } from "../store/lease.ts";
import type { Store, Write } from "../store/store.ts";
import { type EventChange, numberOf, textOf } from "./eventWriter.ts";
import type { Watch } from "./watch.ts";

export interface MessagesParts {
  store: Store;
  schemaOf(className: string): ClassSchema;
  /** What messages are signed with; without one they are not. */
  webhookKey: string | undefined;
  /** Whether servers inside of networks may be told. */
  allowPrivate: boolean;
  /** Whether this process is the one that sends. */
  isActive(): boolean;
  clock(): number;
  log: Log;
}

const CLASS = "_ChainMessage";
/** Sources that are told at once, and how many messages of one are sent in a row, and for how long, in ms. */
const SOURCES = 50;
const IN_A_ROW = 50;
const IN_A_ROW_MS = 10_000;
/** An operator may have a message sent again before it is due: so often that is looked at, in ms. */
const LONGEST_REST_MS = 10_000;
const DEADLINE_MS = 10_000;
/** Nobody reads the answer. */
const MAX_BYTES = 64 * 1024;
/** How often a message is sent before it is given up, after about a day and a half. */
export const MAX_ATTEMPTS = 45;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 3_600_000;
/** How long messages that have arrived are kept, for people. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * What web hooks are told of events. Messages are written together with the objects and sent from there: each at least
 * once, those of one source in their order, again and again until the server answers with 2xx.
 */
export class Messages {
  readonly #parts: MessagesParts;
  /** What is being sent, by source. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** When sources whose first message is not due are looked at again. */
  readonly #resting = new Map<string, number>();
  #begunLast = "";
  #sweptAt = 0;

  constructor(parts: MessagesParts) {
    this.#parts = parts;
  }

  /** The steps that have a watch's web hook told of changes. */
  writes(watch: Watch, source: string, from: number, changes: EventChange[]): Write[] {
    const { schemaOf, clock } = this.#parts;
    const schema = schemaOf(CLASS);
    const at = new Date(clock()).toISOString();
    return changes.map(({ kind, object }, i): Write => {
      const id = newObjectId();
      const { ACL: _, ...told } = object;
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
          object: { ...told, className: watch.className },
        },
        status: "waiting",
        attempts: 0,
        nextAt: wireDate(new Date(at)),
      };
      return { kind: "create", schema, id, at, object: message };
    });
  }

  /**
   * Begins to send what is due, each source by itself: a server that hangs holds up nobody but its own source. `onMore`
   * is called when one of them has more that can be sent at once.
   */
  async send(onMore: () => void): Promise<void> {
    const { clock, log } = this.#parts;
    const waiting = await this.#sources();
    for (const source of this.#resting.keys()) if (!waiting.includes(source)) this.#resting.delete(source);
    for (const source of waiting) {
      if (this.#underWay.size >= SOURCES) break;
      if (this.#underWay.has(source) || isAhead(this.#resting.get(source) ?? 0, clock(), LONGEST_REST_MS))
        continue;
      this.#begunLast = source;
      const sending = this.#sendOf(source)
        .then(
          (isMore) => isMore,
          (error: unknown) => {
            if (!(error instanceof LeaseLost)) {
              log.error("messages could not be sent", { source, error: String(error) });
            }
            return false;
          },
        )
        .then((isMore) => {
          this.#underWay.delete(source);
          if (isMore) onMore();
        });
      this.#underWay.set(source, sending);
    }
    await this.#sweep();
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  /** Sources that have something waiting, those first that come after the one that had its turn last. */
  async #sources(): Promise<string[]> {
    const { store, schemaOf } = this.#parts;
    const where = parseWhere({ status: "waiting" });
    const query = { schema: schemaOf(CLASS), where, order: [], limit: undefined, skip: 0, principals: null };
    const found = (await store.distinct(query, ["source"])).filter((source) => typeof source === "string");
    const sorted = found.sort();
    const next = sorted.findIndex((source) => source > this.#begunLast);
    return next < 0 ? sorted : [...sorted.slice(next), ...sorted.slice(0, next)];
  }

  async #sendOf(source: string): Promise<boolean> {
    const { store, schemaOf, clock } = this.#parts;
    const texts = await store.find({
      schema: schemaOf(CLASS),
      where: parseWhere({ status: "waiting", source }),
      order: [{ path: ["sequence"], descending: false }],
      limit: IN_A_ROW,
      skip: 0,
      principals: null,
    });
    const end = clock() + IN_A_ROW_MS;
    for (const text of texts) {
      if (!this.#parts.isActive()) return false;
      if (clock() > end) return true;
      const message: JsonObject = JSON.parse(text);
      const { nextAt } = message;
      const due = isJsonObject(nextAt) ? Date.parse(String(nextAt.iso)) : 0;
      // Those behind it wait for it: they come in their order.
      if (isAhead(due, clock(), LONGEST_PAUSE_MS)) {
        this.#resting.set(source, Math.min(due, clock() + LONGEST_REST_MS));
        return false;
      }
      if (!(await this.#sendOne(message))) return false;
    }
    return texts.length === IN_A_ROW;
  }

  /** Answers whether the next of its source may be sent. */
  async #sendOne(message: JsonObject): Promise<boolean> {
    const { webhookKey, allowPrivate, clock, log } = this.#parts;
    const attempts = numberOf(message, "attempts") + 1;
    const url = textOf(message, "url");
    const body = JSON.stringify(message.body);
    try {
      const headers = signedHeaders(webhookKey, body, clock());
      const answer = await post({
        url,
        headers,
        body,
        deadlineMs: DEADLINE_MS,
        maxBytes: MAX_BYTES,
        allowPrivate,
      });
      if (answer.status < 200 || answer.status >= 300) throw new Refused(answer.status);
      const deliveredAt = wireDate(new Date(clock()));
      await this.#note(message, {
        status: "delivered",
        attempts,
        deliveredAt,
        answer: answer.status,
        error: null,
      });
      return true;
    } catch (error) {
      const isOver = attempts >= MAX_ATTEMPTS;
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20));
      const reason = error instanceof Error ? error.message : String(error);
      log.warn("a message about an event could not be delivered", { url, attempts, error: reason });
      await this.#note(message, {
        status: isOver ? "failed" : "waiting",
        attempts,
        nextAt: wireDate(new Date(clock() + pause)),
        answer: error instanceof Refused ? error.status : null,
        error: reason.slice(0, 300),
      });
      return isOver;
    }
  }

  async #note(message: JsonObject, fields: JsonObject): Promise<void> {
    const { store, schemaOf, clock } = this.#parts;
    const operations = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        value === null ? ({ op: "Delete" } as const) : ({ op: "Set", value } as const),
      ]),
    );
    const id = textOf(message, "objectId");
    const at = new Date(clock()).toISOString();
    await store.write([{ kind: "update", schema: schemaOf(CLASS), id, at, operations, principals: null }]);
  }

  /** Forgets what arrived long ago. */
  async #sweep(): Promise<void> {
    const { store, schemaOf, clock } = this.#parts;
    if (Math.abs(clock() - this.#sweptAt) < 3_600_000) return;
    this.#sweptAt = clock();
    const schema = schemaOf(CLASS);
    const before = wireDate(new Date(clock() - KEPT_MS));
    const where = parseWhere({ status: "delivered", deliveredAt: { $lt: before } });
    const texts = await store.find({ schema, where, order: [], limit: 1_000, skip: 0, principals: null });
    const ids = texts.map((text): string => JSON.parse(text).objectId);
    if (ids.length > 0)
      await store.write(ids.map((id) => ({ kind: "delete", schema, id, principals: null })));
  }
}

/** The server was reached and does not want it, or not now. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the server answers ${status}`);
    this.status = status;
  }
}

/** Whether a time is still to come; one that is further away than it can have been put was put by a clock that was ahead. */
function isAhead(time: number, now: number, longestMs: number): boolean {
  return time > now && time <= now + longestMs;
}
