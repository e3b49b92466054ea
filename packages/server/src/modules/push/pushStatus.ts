import { createHash } from "node:crypto";
import {
  ErrorCode,
  type JsonObject,
  type Operation,
  ProtocolError,
  parseWhere,
  wireDate,
} from "@purse/protocol";
import type { ClassRules } from "../../data/objects/classRules.ts";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, findRows } from "../../database/serverRows.ts";
import { type Store, UniqueConstraintError, type Write } from "../../database/store.ts";
import { isLocalTime, timeOf, waveAt, wavesOf } from "./localTime.ts";
import type { PushRequest } from "./pushRequest.ts";
import type { PushTarget, SendResult } from "./pushSender.ts";

const CLASS_NAME = "_PushStatus";
/** A push that has not been updated for this long is taken over by another process, in ms. */
const STALE_AFTER_MS = 2 * 60_000;
/** Lifetime of the unique keys of a push, in ms. */
const RESERVATION_TTL_MS = 24 * 3_600_000;
/** Scopes of the unique keys: of each state of a push, and of its current sender. */
const STATE_SCOPE = "push";
const SENDER_SCOPE = "push-sending";

/** Rules of `_PushStatus`, the results of pushes. It requires the master key. */
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

/** A push that this process has acquired for sending. */
export interface AcquiredPush {
  id: string;
  /** ID of this acquisition. Once another process has taken over, progress cannot be saved, so nothing more is sent. */
  senderId: string;
  where: JsonObject;
  data: JsonObject;
  /** Milliseconds since the epoch. */
  expiresAt: number | undefined;
  /** ID of the last installation that the previous process sent to, or started to. */
  after: string;
  /** For a push in local time: the wave of devices that are due after `from` and by `until`. */
  wave: { pushTime: string; from: number; until: number } | undefined;
}

export interface PushStatusDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  now(): number;
}

/** Stores pushes in `_PushStatus` and coordinates which process sends them. */
export class PushStatuses {
  readonly #dependencies: PushStatusDependencies;

  constructor(dependencies: PushStatusDependencies) {
    this.#dependencies = dependencies;
  }

  /** Stores a push. Returns its ID. */
  async create(request: PushRequest): Promise<string> {
    const id = newObjectId();
    const now = this.#dependencies.now();
    const { alert } = request.data;
    const alertText = typeof alert === "string" ? alert : alert === undefined ? "" : JSON.stringify(alert);
    const fields: JsonObject = {
      pushTime: request.pushTime ?? new Date(now).toISOString(),
      query: JSON.stringify(request.where),
      payload: JSON.stringify(request.data),
      source: "rest",
      ...(request.title !== undefined && { title: request.title }),
      ...(request.expirationTime !== undefined && { expiry: request.expirationTime }),
      ...(request.expirationInterval !== undefined && { expiration_interval: request.expirationInterval }),
      status: request.pushTime === undefined ? "pending" : "scheduled",
      numSent: 0,
      // The hash of the alert, as Parse computes it.
      pushHash: createHash("md5").update(alertText).digest("hex"),
      ACL: {},
    };
    const schema = this.#dependencies.schemaOf(CLASS_NAME);
    await this.#dependencies.store.write([createRow(schema, id, now, fields)]);
    return id;
  }

  /** IDs of the pushes that are due: scheduled for now or earlier, or abandoned by another process. */
  async findDue(): Promise<string[]> {
    const now = this.#dependencies.now();
    const isUnfinished = { status: { $in: ["pending", "running"] } };
    // A time in the future was written when the clock was ahead.
    const isStale: JsonObject = {
      $or: [
        { ...isUnfinished, updatedAt: { $lte: wireDate(new Date(now - STALE_AFTER_MS)) } },
        { ...isUnfinished, updatedAt: { $gte: wireDate(new Date(now + STALE_AFTER_MS)) } },
      ],
    };
    const [found, local] = await Promise.all([
      this.#find({
        $or: [
          { status: "scheduled", pushTime: { $lte: new Date(now).toISOString(), $regex: "Z$" } },
          isStale,
        ],
      }),
      // The time has been reached in some time zone. Pushes that wait for their next wave come last.
      this.#find({ status: "scheduled", pushTime: { $lte: lastLocalTime(now), $regex: "[^Z]$" } }),
    ]);
    const isNext = ({ pushTime, updatedAt, createdAt }: JsonObject) =>
      updatedAt === createdAt ||
      waveAt(String(pushTime), now) > waveAt(String(pushTime), Date.parse(String(updatedAt)));
    return [...found, ...local.filter(isNext)].map(({ objectId }) => String(objectId));
  }

  #find(where: JsonObject): Promise<JsonObject[]> {
    const { store, schemaOf } = this.#dependencies;
    return findRows(store, schemaOf(CLASS_NAME), { where: parseWhere(where), order: "updatedAt", limit: 20 });
  }

  /** Acquires a push for sending; undefined if another process has acquired it or it is finished. */
  async acquire(id: string): Promise<AcquiredPush | undefined> {
    const { store, schemaOf, now } = this.#dependencies;
    const known = await store.getSecret(schemaOf(CLASS_NAME), id);
    if (!known) return undefined;
    const status: JsonObject = JSON.parse(known.text);
    // A running push is only taken over if it is stale; it may have been started since it was found.
    const isStale = Math.abs(Date.parse(String(status.updatedAt)) - now()) >= STALE_AFTER_MS;
    const isFree = status.status === "pending" || status.status === "scheduled";
    if (!isFree && !(status.status === "running" && isStale)) return undefined;
    const senderId = newObjectId();
    const reservation: Write = {
      kind: "reserveUnique",
      scope: STATE_SCOPE,
      // Each state of a push can be acquired once.
      value: `${id} ${status.status} ${status.updatedAt}`,
      owner: senderId,
      expiresAt: now() + RESERVATION_TTL_MS,
    };
    try {
      await store.write([
        reservation,
        { kind: "releaseUnique", scope: SENDER_SCOPE, value: id },
        this.#senderReservation(id, senderId),
        this.#update(id, { status: { op: "Set", value: "running" } }),
      ]);
    } catch (error) {
      if (error instanceof UniqueConstraintError) return undefined;
      throw error;
    }
    const interval = status.expiration_interval;
    const pushTime = String(status.pushTime);
    const { secret } = known;
    const wave = isLocalTime(pushTime)
      ? {
          pushTime,
          from: typeof secret.from === "number" ? secret.from : 0,
          // A wave that was started is continued with the same end.
          until: typeof secret.until === "number" ? secret.until : now(),
        }
      : undefined;
    const sentAt = wave ? wave.until : timeOf(pushTime);
    const expiry = typeof interval === "number" ? sentAt + interval * 1_000 : status.expiry;
    return {
      id,
      senderId,
      where: JSON.parse(String(status.query)),
      data: JSON.parse(String(status.payload)),
      expiresAt: typeof expiry === "number" ? expiry : undefined,
      after: typeof secret.after === "string" ? secret.after : "",
      wave,
    };
  }

  /**
   * Saves the progress before a batch is sent, so that no process sends it twice. Throws UniqueConstraintError if another
   * process has taken over.
   */
  async saveProgress({ id, senderId, wave }: AcquiredPush, after: string): Promise<void> {
    const secret = { after, ...(wave && { from: wave.from, until: wave.until }) };
    await this.#dependencies.store.write([
      this.#senderReservation(id, senderId),
      { ...this.#update(id, {}), secret },
    ]);
  }

  /** Finishes a wave; the push is finished if it was the last one. */
  async finishWave(push: AcquiredPush): Promise<void> {
    const { id, senderId, wave } = push;
    if (!wave || wave.until >= wavesOf(wave.pushTime).last) return this.finish(push);
    const status: Operation = { op: "Set", value: "scheduled" };
    const secret = { after: null, from: wave.until, until: null };
    await this.#dependencies.store.write([
      this.#senderReservation(id, senderId),
      { ...this.#update(id, { status }), secret },
    ]);
  }

  async addCounts(id: string, targets: PushTarget[], results: SendResult[]): Promise<void> {
    const counts = new Map<string, number>();
    const add = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
    results.forEach(({ transmitted }, i) => {
      const type = targets[i]?.deviceType ?? "";
      const name = /^[A-Za-z][\w-]{0,63}$/.test(type) ? type : "other";
      add(transmitted ? "numSent" : "numFailed");
      add(`${transmitted ? "sentPerType" : "failedPerType"}.${name}`);
    });
    const operations = Object.fromEntries(
      [...counts].map(([path, amount]): [string, Operation] => [path, { op: "Increment", amount }]),
    );
    await this.#dependencies.store.write([this.#update(id, operations)]);
  }

  async finish({ id, senderId }: Pick<AcquiredPush, "id" | "senderId">, failure?: unknown): Promise<void> {
    const message =
      failure instanceof Error ? failure.message : failure === undefined ? undefined : String(failure);
    await this.#dependencies.store
      .write([
        this.#senderReservation(id, senderId),
        this.#update(id, {
          status: { op: "Set", value: message === undefined ? "succeeded" : "failed" },
          ...(message !== undefined && { errorMessage: { op: "Set", value: { message } } }),
        }),
      ])
      .catch((error: unknown) => {
        // The push has been deleted meanwhile.
        if (!(error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND)) throw error;
      });
  }

  /** Hands the push over to another process, or to the next start. */
  async release({ id, senderId }: AcquiredPush): Promise<void> {
    const status: Operation = { op: "Set", value: "scheduled" };
    await this.#dependencies.store.write([
      this.#senderReservation(id, senderId),
      this.#update(id, { status }),
    ]);
  }

  #senderReservation(id: string, owner: string): Write {
    return {
      kind: "reserveUnique",
      scope: SENDER_SCOPE,
      value: id,
      owner,
      expiresAt: this.#dependencies.now() + RESERVATION_TTL_MS,
    };
  }

  #update(id: string, operations: Record<string, Operation>): Extract<Write, { kind: "update" }> {
    const schema = this.#dependencies.schemaOf(CLASS_NAME);
    return { kind: "update", schema, id, at: this.#timestamp(), operations, subjects: null };
  }

  #timestamp(): string {
    return new Date(this.#dependencies.now()).toISOString();
  }
}

/** The current time in the first time zone, in the stored format. */
function lastLocalTime(now: number): string {
  return new Date(now + 14 * 3_600_000).toISOString();
}
