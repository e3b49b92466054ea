import { createHash } from "node:crypto";
import {
  ErrorCode,
  type JsonObject,
  type Operation,
  ProtocolError,
  parseWhere,
  wireDate,
} from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import type { ClassRules } from "../objects/rules.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { ClaimTaken, type Store, type Write } from "../store/store.ts";
import { isLocalTime, timeOf, waveAt, wavesOf } from "./localTime.ts";
import type { PushOrder } from "./pushOrder.ts";
import type { Outcome, PushTarget } from "./sender.ts";

const CLASS_NAME = "_PushStatus";
/** A push of which nothing was heard for this long is taken over by another process, in ms. */
const SILENCE_MS = 2 * 60_000;
/** How long it is known who took a push; ms. */
const CLAIM_MS = 24 * 3_600_000;
/** The claim of each state of a push, and of the process that sends it now. */
const TAKEN = "push";
const SENDING = "push-sending";

/** `_PushStatus`: what became of each push. Only the operator sees it. */
export const pushStatusRules: ClassRules = {
  className: CLASS_NAME,
  fields: {
    pushTime: { type: "String" },
    source: { type: "String" },
    query: { type: "String" },
    payload: { type: "String" },
    title: { type: "String" },
    expiry: { type: "Number" },
    expiration_interval: { type: "Number" },
    status: { type: "String" },
    numSent: { type: "Number" },
    numFailed: { type: "Number" },
    pushHash: { type: "String" },
    errorMessage: { type: "Object" },
    sentPerType: { type: "Object" },
    failedPerType: { type: "Object" },
    sentPerUTCOffset: { type: "Object" },
    failedPerUTCOffset: { type: "Object" },
    count: { type: "Number" },
  },
  indexes: { status: { status: 1, pushTime: 1 } },
};

/** A push that is to be sent now, and by this process. */
export interface TakenPush {
  id: string;
  /** Of this sending: nothing is put down, and so nothing sent, once another process has taken the push over. */
  sender: string;
  where: JsonObject;
  data: JsonObject;
  /** ms since the epoch. */
  expiresAt: number | undefined;
  /** The last installation that another process sent to, or began to. */
  after: string;
  /** Of a push that goes to each device at its own time: those that are due after `from` and by `until`. */
  wave: { pushTime: string; from: number; until: number } | undefined;
}

export interface PushStatusParts {
  store: Store;
  schemaOf(className: string): ClassSchema;
  now(): number;
}

/** The rows of `_PushStatus`, and by them who sends what. */
export class PushStatuses {
  readonly #parts: PushStatusParts;

  constructor(parts: PushStatusParts) {
    this.#parts = parts;
  }

  /** Enters an order. Answers its id. */
  async begin(order: PushOrder): Promise<string> {
    const id = newObjectId();
    const at = this.#at();
    const { alert } = order.data;
    const alertText = typeof alert === "string" ? alert : alert === undefined ? "" : JSON.stringify(alert);
    const object: JsonObject = {
      objectId: id,
      createdAt: at,
      updatedAt: at,
      pushTime: order.pushTime ?? at,
      query: JSON.stringify(order.where),
      payload: JSON.stringify(order.data),
      source: "rest",
      ...(order.title !== undefined && { title: order.title }),
      ...(order.expirationTime !== undefined && { expiry: order.expirationTime }),
      ...(order.expirationInterval !== undefined && { expiration_interval: order.expirationInterval }),
      status: order.pushTime === undefined ? "pending" : "scheduled",
      numSent: 0,
      // A fingerprint by which tools find the same message again, as Parse makes it.
      pushHash: createHash("md5").update(alertText).digest("hex"),
      ACL: {},
    };
    const schema = this.#parts.schemaOf(CLASS_NAME);
    await this.#parts.store.write([{ kind: "create", schema, id, at, object }]);
    return id;
  }

  /** Ids of what is due: scheduled for now or earlier, or left lying by a process that ended. */
  async due(): Promise<string[]> {
    const now = this.#parts.now();
    const isLeft = { status: { $in: ["pending", "running"] } };
    // A time that is to come was put down by a clock that was ahead.
    const isSilent: JsonObject = {
      $or: [
        { ...isLeft, updatedAt: { $lte: wireDate(new Date(now - SILENCE_MS)) } },
        { ...isLeft, updatedAt: { $gte: wireDate(new Date(now + SILENCE_MS)) } },
      ],
    };
    const [found, local] = await Promise.all([
      this.#find({
        $or: [
          { status: "scheduled", pushTime: { $lte: new Date(now).toISOString(), $regex: "Z$" } },
          isSilent,
        ],
      }),
      // Somewhere on Earth a clock shows it already. Those that wait for their next wave come last.
      this.#find({ status: "scheduled", pushTime: { $lte: lastLocalTime(now), $regex: "[^Z]$" } }),
    ]);
    const isNext = ({ pushTime, updatedAt, createdAt }: JsonObject) =>
      updatedAt === createdAt ||
      waveAt(String(pushTime), now) > waveAt(String(pushTime), Date.parse(String(updatedAt)));
    return [...found, ...local.filter(isNext)].map(({ objectId }) => String(objectId));
  }

  async #find(where: JsonObject): Promise<JsonObject[]> {
    const found = await this.#parts.store.find({
      schema: this.#parts.schemaOf(CLASS_NAME),
      where: parseWhere(where),
      order: [{ path: ["updatedAt"], descending: false }],
      limit: 20,
      skip: 0,
      principals: null,
    });
    return found.map((each): JsonObject => JSON.parse(each));
  }

  /** Takes a push to send it; undefined where another process has, or it is done. */
  async take(id: string): Promise<TakenPush | undefined> {
    const { store, schemaOf, now } = this.#parts;
    const known = await store.getSecret(schemaOf(CLASS_NAME), id);
    if (!known) return undefined;
    const status: JsonObject = JSON.parse(known.text);
    // What runs is taken over only when nothing was heard of it: it may have begun since it was due.
    const isSilent = Math.abs(Date.parse(String(status.updatedAt)) - now()) >= SILENCE_MS;
    const isFree = status.status === "pending" || status.status === "scheduled";
    if (!isFree && !(status.status === "running" && isSilent)) return undefined;
    const sender = newObjectId();
    const claim: Write = {
      kind: "claim",
      scope: TAKEN,
      // Each state of it can be taken once.
      value: `${id} ${status.status} ${status.updatedAt}`,
      owner: sender,
      expiresAt: now() + CLAIM_MS,
    };
    try {
      await store.write([
        claim,
        { kind: "release", scope: SENDING, value: id },
        this.#sending(id, sender),
        this.#change(id, { status: { op: "Set", value: "running" } }),
      ]);
    } catch (error) {
      if (error instanceof ClaimTaken) return undefined;
      throw error;
    }
    const interval = status.expiration_interval;
    const pushTime = String(status.pushTime);
    const { secret } = known;
    const wave = isLocalTime(pushTime)
      ? {
          pushTime,
          from: typeof secret.from === "number" ? secret.from : 0,
          // A wave that was begun is gone on with as it was.
          until: typeof secret.until === "number" ? secret.until : now(),
        }
      : undefined;
    const sentAt = wave ? wave.until : timeOf(pushTime);
    const expiry = typeof interval === "number" ? sentAt + interval * 1_000 : status.expiry;
    return {
      id,
      sender,
      where: JSON.parse(String(status.query)),
      data: JSON.parse(String(status.payload)),
      expiresAt: typeof expiry === "number" ? expiry : undefined,
      after: typeof secret.after === "string" ? secret.after : "",
      wave,
    };
  }

  /**
   * Notes how far it got, before it is sent: whoever takes over does not send twice. Throws ClaimTaken where another process
   * has taken over.
   */
  async progress({ id, sender, wave }: TakenPush, after: string): Promise<void> {
    const secret = { after, ...(wave && { from: wave.from, until: wave.until }) };
    await this.#parts.store.write([this.#sending(id, sender), { ...this.#change(id, {}), secret }]);
  }

  /** Ends a wave; the push is done when it was the last one. */
  async endWave(push: TakenPush): Promise<void> {
    const { id, sender, wave } = push;
    if (!wave || wave.until >= wavesOf(wave.pushTime).last) return this.end(push);
    const status: Operation = { op: "Set", value: "scheduled" };
    const secret = { after: null, from: wave.until, until: null };
    await this.#parts.store.write([this.#sending(id, sender), { ...this.#change(id, { status }), secret }]);
  }

  async count(id: string, targets: PushTarget[], outcomes: Outcome[]): Promise<void> {
    const counts = new Map<string, number>();
    const add = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
    outcomes.forEach(({ transmitted }, i) => {
      const type = targets[i]?.deviceType ?? "";
      const name = /^[A-Za-z][\w-]{0,63}$/.test(type) ? type : "other";
      add(transmitted ? "numSent" : "numFailed");
      add(`${transmitted ? "sentPerType" : "failedPerType"}.${name}`);
    });
    const operations = Object.fromEntries(
      [...counts].map(([path, amount]): [string, Operation] => [path, { op: "Increment", amount }]),
    );
    await this.#parts.store.write([this.#change(id, operations)]);
  }

  async end({ id, sender }: Pick<TakenPush, "id" | "sender">, failure?: unknown): Promise<void> {
    const message =
      failure instanceof Error ? failure.message : failure === undefined ? undefined : String(failure);
    await this.#parts.store
      .write([
        this.#sending(id, sender),
        this.#change(id, {
          status: { op: "Set", value: message === undefined ? "succeeded" : "failed" },
          ...(message !== undefined && { errorMessage: { op: "Set", value: { message } } }),
        }),
      ])
      .catch((error: unknown) => {
        // The operator has deleted it meanwhile.
        if (!(error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND)) throw error;
      });
  }

  /** Leaves it to another process, or to the next start. */
  async release({ id, sender }: TakenPush): Promise<void> {
    const status: Operation = { op: "Set", value: "scheduled" };
    await this.#parts.store.write([this.#sending(id, sender), this.#change(id, { status })]);
  }

  #sending(id: string, owner: string): Write {
    return { kind: "claim", scope: SENDING, value: id, owner, expiresAt: this.#parts.now() + CLAIM_MS };
  }

  #change(id: string, operations: Record<string, Operation>): Extract<Write, { kind: "update" }> {
    const schema = this.#parts.schemaOf(CLASS_NAME);
    return { kind: "update", schema, id, at: this.#at(), operations, principals: null };
  }

  #at(): string {
    return new Date(this.#parts.now()).toISOString();
  }
}

/** The latest time that some clock shows, as it is stored. */
function lastLocalTime(now: number): string {
  return new Date(now + 14 * 3_600_000).toISOString();
}
