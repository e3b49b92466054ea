import { ErrorCode, type JsonObject, type Operation, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import { type RequestContext, serverRequest } from "../../core/authContext.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { jsonObject, routeOf } from "../../core/http/endpoint.ts";
import type { Logger } from "../../core/logger.ts";
import { OutageLog } from "../../core/outageLog.ts";
import type { Objects } from "../../data/objects/objects.ts";
import type { WriteRequest } from "../../data/objects/writeOptions.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { type Store, UniqueConstraintError } from "../../database/store.ts";
import { audienceRoutes, recordAudienceUse } from "./audiences.ts";
import { dueInstallations, dueTimeIn, isBetween, isLocalTime, timeOf, wavesOf } from "./localTime.ts";
import { localizePayload } from "./payload.ts";
import { badgeOf, parsePushRequest } from "./pushRequest.ts";
import { failed, type PushSender, type PushTarget, type SendResult } from "./pushSender.ts";
import { type AcquiredPush, PushStatuses } from "./pushStatus.ts";
import type { Push } from "./token.ts";

export interface PushServiceDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  objects: Pick<Objects, "find" | "get" | "create" | "update" | "remove">;
  senders: PushSender[];
  logger: Logger;
  now?: () => number;
}

export interface PushService extends Push {
  routes: ApiRoute<WriteRequest>[];
  /** Starts sending scheduled pushes. Each push is sent by one of several processes. */
  start(): void;
  /** Stops after the current batch; the rest is sent after the next start. */
  stop(): Promise<void>;
}

const BATCH_SIZE = 100;
/** How often due pushes are looked up, in ms. Pushes that this process has scheduled are sent on time. */
const POLL_MS = 5_000;
/** Maximum delay of a timer, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const PUSH_ENDPOINT = {
  method: "POST",
  path: "/push",
  access: "masterKey",
  heading: "Functions, jobs, webhooks, config",
  summary: "Send a push notification; `X-Parse-Push-Status-Id` is the id of its status",
  schemas: () => ({
    body: z.object({
      where: jsonObject().optional().describe("Conditions on installations"),
      channels: z.array(z.string()).optional(),
      data: jsonObject(),
      push_time: z.string().optional(),
      expiration_time: z.union([z.string(), z.number()]).optional(),
      expiration_interval: z.number().optional().describe("Seconds"),
    }),
    response: z.object({ result: z.literal(true) }),
  }),
} as const;

const SERVER_REQUEST = serverRequest("push");

/** Creates the push service: it accepts pushes with the master key and sends them by the configured push services. */
export function createPushService(dependencies: PushServiceDependencies): PushService {
  const { store, schemaOf, objects, senders, logger } = dependencies;
  const now = dependencies.now ?? Date.now;
  const statuses = new PushStatuses({ store, schemaOf, now });
  const running = new Set<Promise<void>>();
  const outages = new OutageLog(logger);
  const timers = new Set<NodeJS.Timeout>();
  let pollTimer: NodeJS.Timeout | undefined;
  let isStopping = false;

  async function accept(request: RequestContext, payload: JsonObject): Promise<string> {
    const push = parsePushRequest(payload, now());
    if (senders.length === 0) {
      throw new ProtocolError(ErrorCode.PUSH_MISCONFIGURED, "Missing push configuration");
    }
    if (push.audienceId !== undefined) await recordAudienceUse(objects, request, push.audienceId, now());
    const id = await statuses.create(push);
    if (push.pushTime === undefined) run(id);
    else schedule(isLocalTime(push.pushTime) ? wavesOf(push.pushTime).first : timeOf(push.pushTime));
    return id;
  }

  async function handlePush(request: ApiRequest): Promise<ApiReply> {
    const id = await accept(request, request.params);
    return { status: 200, body: '{"result":true}', headers: { "X-Parse-Push-Status-Id": id } };
  }

  /** Looks up due pushes at the given time, so that a push that was scheduled here is sent on time. */
  function schedule(at: number): void {
    const delay = Math.max(0, at - now());
    if (delay > MAX_TIMER_MS) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      runDue();
    }, delay);
    timer.unref();
    timers.add(timer);
  }

  function runDue(): void {
    if (isStopping || senders.length === 0) return;
    statuses.findDue().then(
      (ids) => {
        outages.succeeded("due", "scheduled pushes are read again");
        ids.forEach(run);
      },
      (error: unknown) =>
        outages.failed("due", "scheduled pushes could not be read", { error: String(error) }),
    );
  }

  function run(id: string): void {
    const sending = send(id)
      .catch((error: unknown) => logger.error("a push failed", { pushId: id, error: String(error) }))
      .finally(() => running.delete(sending));
    running.add(sending);
  }

  async function send(id: string): Promise<void> {
    const push = await statuses.acquire(id);
    if (!push) return;
    try {
      if (push.expiresAt !== undefined && push.expiresAt <= now()) {
        // Earlier waves of the push have been sent.
        if (push.wave && push.wave.from > 0) return await statuses.finish(push);
        throw new Error("The push expired before it was sent");
      }
      let { after } = push;
      for (;;) {
        if (isStopping) return await statuses.release(push);
        const targets = await nextTargets(push, after);
        const last = targets.at(-1);
        if (!last) break;
        after = last.objectId;
        await statuses.saveProgress(push, after);
        await sendBatch(
          push,
          targets.filter((target) => isDue(push, target)),
        );
        if (targets.length < BATCH_SIZE) break;
      }
      await statuses.finishWave(push);
    } catch (error) {
      if (error instanceof UniqueConstraintError) {
        logger.warn("another process has taken over a push: this one stops sending it", { pushId: id });
        return;
      }
      await statuses.finish(push, error);
      throw error;
    }
  }

  function isDue({ wave }: AcquiredPush, { timeZone }: Installation): boolean {
    return !wave || isBetween(dueTimeIn(wave.pushTime, timeZone), wave.from, wave.until);
  }

  async function nextTargets({ where, wave }: AcquiredPush, after: string): Promise<Installation[]> {
    const isReachable = "deviceToken" in where ? [] : [{ deviceToken: { $exists: true } }];
    const inWave = wave ? [dueInstallations(wave.pushTime, wave.from, wave.until)] : [];
    const text = await objects.find(SERVER_REQUEST, "_Installation", {
      where: { $and: [where, ...isReachable, ...inWave, { objectId: { $gt: after } }] },
      order: "objectId",
      limit: BATCH_SIZE,
    });
    const { results }: { results: Installation[] } = JSON.parse(text);
    return results;
  }

  async function sendBatch(push: AcquiredPush, installations: Installation[]): Promise<void> {
    const badges = await updateBadges(push, installations);
    // Group installations with the same sender and data.
    const groups = new Map<
      string,
      { sender: PushSender | undefined; data: JsonObject; targets: Installation[] }
    >();
    for (const installation of installations) {
      const sender = senderOf(installation);
      const badge = badges.get(installation.objectId);
      const data = localizePayload(
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
        const results = sender
          ? await sender.send(targets, payload)
          : targets.map(({ deviceType }) => failed(`no service is configured for ${deviceType}`));
        await statuses.addCounts(push.id, targets, results);
        await removeInvalidTokens(targets, results);
      }),
    );
  }

  function senderOf({ pushType, deviceType }: Installation): PushSender | undefined {
    const findSender = (type: string | undefined) =>
      senders.find(({ deviceTypes }) => deviceTypes.includes(type ?? ""));
    return findSender(pushType) ?? findSender(deviceType);
  }

  /** Increments or sets the badges. Returns the new badge by installation ID. */
  async function updateBadges(
    { data }: AcquiredPush,
    installations: Installation[],
  ): Promise<Map<string, number>> {
    const badge = badgeOf(data);
    if (!badge) return new Map();
    const operation: Operation =
      "set" in badge ? { op: "Set", value: badge.set } : { op: "Increment", amount: badge.increment };
    const schema = schemaOf("_Installation");
    const at = new Date(now()).toISOString();
    const settled = await Promise.allSettled(
      installations.map(({ objectId: id }) =>
        store.write([{ kind: "update", schema, id, at, operations: { badge: operation }, subjects: null }]),
      ),
    );
    const badges = new Map<string, number>();
    settled.forEach((result, i) => {
      const after = result.status === "fulfilled" ? result.value[0]?.after : undefined;
      const id = installations[i]?.objectId;
      if (after && id) badges.set(id, Number(JSON.parse(after).badge));
    });
    return badges;
  }

  /** Removes invalid device tokens, unless they have been replaced meanwhile. */
  async function removeInvalidTokens(targets: Installation[], results: SendResult[]): Promise<void> {
    const invalid = targets.filter((_, i) => {
      const result = results[i];
      return result && !result.transmitted && result.isInvalidToken;
    });
    if (invalid.length === 0) return;
    const where = { objectId: { $in: invalid.map(({ objectId }) => objectId) } };
    const text = await objects.find(SERVER_REQUEST, "_Installation", {
      where,
      keys: "deviceToken",
      limit: invalid.length,
    });
    const { results: current }: { results: Installation[] } = JSON.parse(text);
    const tokens = new Map(current.map(({ objectId, deviceToken }) => [objectId, deviceToken]));
    await Promise.allSettled(
      invalid
        .filter(({ objectId, deviceToken }) => tokens.get(objectId) === deviceToken)
        .map(({ objectId }) =>
          objects.update(SERVER_REQUEST, "_Installation", objectId, { deviceToken: { __op: "Delete" } }),
        ),
    );
    logger.info("invalid device tokens were removed", { installations: invalid.length });
  }

  return {
    routes: [routeOf(PUSH_ENDPOINT, handlePush), ...audienceRoutes(objects)],
    canSend: senders.length > 0,
    send: accept,
    start() {
      pollTimer = setInterval(runDue, POLL_MS);
      pollTimer.unref();
      runDue();
    },
    async stop() {
      isStopping = true;
      clearInterval(pollTimer);
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
      await Promise.all(senders.map((sender) => sender.stop()));
    },
  };
}

/** The fields of an installation that a push needs. */
type Installation = PushTarget & { pushType?: string; localeIdentifier?: string; timeZone?: string };
