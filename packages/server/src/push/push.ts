import { ErrorCode, type JsonObject, type Operation, ProtocolError } from "@purse/protocol";
import { MASTER, type RequestContext } from "../caller.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "../http/api.ts";
import { assertMaster } from "../http/masterKeyAccess.ts";
import type { Objects } from "../objects/objects.ts";
import type { Logger } from "../observe/logger.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { ClaimTaken, type Store } from "../store/store.ts";
import { audienceRoutes, useAudience } from "./audiences.ts";
import { dueIn, isBetween, isLocalTime, timeOf, wavesOf, whereDue } from "./localTime.ts";
import { inLanguageOf } from "./payload.ts";
import { badgeOf, parsePushOrder } from "./pushOrder.ts";
import { PushStatuses, type TakenPush } from "./pushStatus.ts";
import { failed, type Outcome, type PushSender, type PushTarget } from "./sender.ts";

export interface PushParts {
  store: Store;
  schemaOf(className: string): ClassSchema;
  objects: Pick<Objects, "find" | "get" | "create" | "update" | "remove">;
  senders: PushSender[];
  log: Logger;
  now?: () => number;
}

export interface Push {
  routes: ApiRoute[];
  /** Begins to send what is scheduled; of several processes one sends each push. */
  start(): void;
  /** Ends after the batch that is on its way; what is left is sent after the next start. */
  stop(): Promise<void>;
}

const BATCH = 100;
/** How often it is looked for what is due, in ms; what this process scheduled it sends on time. */
const LOOK_MS = 5_000;
/** Timers take no longer times. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const AS_SERVER: RequestContext = {
  caller: MASTER,
  installationId: undefined,
  context: {},
  ip: "",
  requestId: "push",
};

/** Push messages to installations: ordered by the operator, sent by the services that are configured. */
export function createPush(parts: PushParts): Push {
  const { store, schemaOf, objects, senders, log } = parts;
  const now = parts.now ?? Date.now;
  const statuses = new PushStatuses({ store, schemaOf, now });
  const running = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let looking: NodeJS.Timeout | undefined;
  let stopping = false;

  async function order(request: ApiRequest): Promise<ApiReply> {
    assertMaster(request, "write");
    const wanted = parsePushOrder(request.params, now());
    if (senders.length === 0) {
      throw new ProtocolError(ErrorCode.PUSH_MISCONFIGURED, "Missing push configuration");
    }
    if (wanted.audienceId !== undefined) await useAudience(objects, request, wanted.audienceId, now());
    const id = await statuses.begin(wanted);
    if (wanted.pushTime === undefined) run(id);
    else schedule(isLocalTime(wanted.pushTime) ? wavesOf(wanted.pushTime).first : timeOf(wanted.pushTime));
    return { status: 200, body: '{"result":true}', headers: { "X-Parse-Push-Status-Id": id } };
  }

  /** Looks for what is due at a time, so that what was scheduled here is sent on time. */
  function schedule(at: number): void {
    const delay = Math.max(0, at - now());
    if (delay > LONGEST_TIMER_MS) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      look();
    }, delay);
    timer.unref();
    timers.add(timer);
  }

  function look(): void {
    if (stopping || senders.length === 0) return;
    statuses.due().then(
      (ids) => ids.forEach(run),
      (error: unknown) => log.error("scheduled pushes could not be read", { error: String(error) }),
    );
  }

  function run(id: string): void {
    const sending = send(id)
      .catch((error: unknown) => log.error("a push failed", { pushId: id, error: String(error) }))
      .finally(() => running.delete(sending));
    running.add(sending);
  }

  async function send(id: string): Promise<void> {
    const push = await statuses.take(id);
    if (!push) return;
    try {
      if (push.expiresAt !== undefined && push.expiresAt <= now()) {
        // Of a push in waves some have been sent.
        if (push.wave && push.wave.from > 0) return await statuses.end(push);
        throw new Error("The push expired before it was sent");
      }
      let { after } = push;
      for (;;) {
        if (stopping) return await statuses.release(push);
        const targets = await nextTargets(push, after);
        const last = targets.at(-1);
        if (!last) break;
        after = last.objectId;
        await statuses.progress(push, after);
        await sendBatch(
          push,
          targets.filter((target) => isDue(push, target)),
        );
        if (targets.length < BATCH) break;
      }
      await statuses.endWave(push);
    } catch (error) {
      if (error instanceof ClaimTaken) {
        log.warn("a push was taken over by another process: this one stops sending it", { pushId: id });
        return;
      }
      await statuses.end(push, error);
      throw error;
    }
  }

  function isDue({ wave }: TakenPush, { timeZone }: Installation): boolean {
    return !wave || isBetween(dueIn(wave.pushTime, timeZone), wave.from, wave.until);
  }

  async function nextTargets({ where, wave }: TakenPush, after: string): Promise<Installation[]> {
    const isReachable = "deviceToken" in where ? [] : [{ deviceToken: { $exists: true } }];
    const inWave = wave ? [whereDue(wave.pushTime, wave.from, wave.until)] : [];
    const text = await objects.find(AS_SERVER, "_Installation", {
      where: { $and: [where, ...isReachable, ...inWave, { objectId: { $gt: after } }] },
      order: "objectId",
      limit: BATCH,
    });
    const { results }: { results: Installation[] } = JSON.parse(text);
    return results;
  }

  async function sendBatch(push: TakenPush, installations: Installation[]): Promise<void> {
    const badges = await moveBadges(push, installations);
    // Those who get the same are sent to together.
    const groups = new Map<
      string,
      { sender: PushSender | undefined; data: JsonObject; targets: Installation[] }
    >();
    for (const installation of installations) {
      const sender = senderOf(installation);
      const badge = badges.get(installation.objectId);
      const data = inLanguageOf(
        { ...push.data, ...(badge !== undefined && { badge }) },
        installation.localeIdentifier,
      );
      const key = `${sender && senders.indexOf(sender)} ${JSON.stringify(data)}`;
      const group = groups.get(key) ?? { sender, data, targets: [] };
      group.targets.push(installation);
      groups.set(key, group);
    }
    await Promise.all(
      [...groups.values()].map(async ({ sender, data, targets }) => {
        const payload = { data, pushId: push.id, expiresAt: push.expiresAt };
        const outcomes = sender
          ? await sender.send(targets, payload)
          : targets.map(({ deviceType }) => failed(`no service is configured for ${deviceType}`));
        await statuses.count(push.id, targets, outcomes);
        await forgetGone(targets, outcomes);
      }),
    );
  }

  function senderOf({ pushType, deviceType }: Installation): PushSender | undefined {
    const reaches = (kind: string | undefined) => senders.find(({ kinds }) => kinds.includes(kind ?? ""));
    return reaches(pushType) ?? reaches(deviceType);
  }

  /** Counts badges up, or sets them. Answers what the badge of each is now. */
  async function moveBadges(
    { data }: TakenPush,
    installations: Installation[],
  ): Promise<Map<string, number>> {
    const badge = badgeOf(data);
    if (!badge) return new Map();
    const operation: Operation =
      "set" in badge ? { op: "Set", value: badge.set } : { op: "Increment", amount: badge.increment };
    const schema = schemaOf("_Installation");
    const at = new Date(now()).toISOString();
    const moved = await Promise.allSettled(
      installations.map(({ objectId: id }) =>
        store.write([{ kind: "update", schema, id, at, operations: { badge: operation }, principals: null }]),
      ),
    );
    const badges = new Map<string, number>();
    moved.forEach((outcome, i) => {
      const after = outcome.status === "fulfilled" ? outcome.value[0]?.after : undefined;
      const id = installations[i]?.objectId;
      if (after && id) badges.set(id, Number(JSON.parse(after).badge));
    });
    return badges;
  }

  /** Takes away tokens that will never work again, where they have not been replaced meanwhile. */
  async function forgetGone(targets: Installation[], outcomes: Outcome[]): Promise<void> {
    const gone = targets.filter((_, i) => {
      const outcome = outcomes[i];
      return outcome && !outcome.transmitted && outcome.isGone;
    });
    if (gone.length === 0) return;
    const where = { objectId: { $in: gone.map(({ objectId }) => objectId) } };
    const text = await objects.find(AS_SERVER, "_Installation", {
      where,
      keys: "deviceToken",
      limit: gone.length,
    });
    const { results }: { results: Installation[] } = JSON.parse(text);
    const tokens = new Map(results.map(({ objectId, deviceToken }) => [objectId, deviceToken]));
    await Promise.allSettled(
      gone
        .filter(({ objectId, deviceToken }) => tokens.get(objectId) === deviceToken)
        .map(({ objectId }) =>
          objects.update(AS_SERVER, "_Installation", objectId, { deviceToken: { __op: "Delete" } }),
        ),
    );
    log.info("device tokens that are no more were removed", { installations: gone.length });
  }

  return {
    routes: [{ method: "POST", path: "/push", handle: order }, ...audienceRoutes(objects)],
    start() {
      looking = setInterval(look, LOOK_MS);
      looking.unref();
      look();
    },
    async stop() {
      stopping = true;
      clearInterval(looking);
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
      await Promise.all(senders.map((sender) => sender.stop()));
    },
  };
}

/** What of an installation a push asks about. */
type Installation = PushTarget & { pushType?: string; localeIdentifier?: string; timeZone?: string };
