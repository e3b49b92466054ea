import type { IncomingMessage } from "node:http";
import { performance } from "node:perf_hooks";
import { ErrorCode } from "@purse/protocol";
import type { WorkerHealth } from "@purse/workers";
import type { DrainState } from "../core/drainState.ts";
import { createAddressMatcher } from "../core/http/address.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { VerifyMasterKey } from "../core/http/masterKey.ts";
import type { Store } from "../database/store.ts";
import type { Metrics } from "./metrics.ts";

export interface MonitoringDependencies {
  metrics: Metrics;
  store: Pick<Store, "getUniqueOwner" | "unavailableReason" | "probeWrite">;
  drainState: DrainState;
  /** Health of the server's worker threads. */
  workers(): WorkerHealth[];
  /** The failures of services that the server can work without. */
  degradations(): string[];
  verifyMasterKey: VerifyMasterKey;
  /** Addresses and ranges that may read the metrics without a key; `*` allows all. */
  metricsIps: readonly string[];
  clientAddressOf: ClientAddressOf;
  isFromTrustedProxy(message: IncomingMessage): boolean;
}

/** Within this time a check is answered, in ms: load balancers wait for a second or two. */
const ANSWER_MS = 800;
/** How long after its last response the database counts as reachable while it does not answer, in ms. */
const KNOWN_MS = 2_000;

/** Creates the monitoring endpoints: metrics and readiness. */
export function createMonitoringRoutes({
  metrics,
  store,
  workers,
  degradations,
  drainState,
  verifyMasterKey,
  metricsIps,
  ...dependencies
}: MonitoringDependencies) {
  const isAllowedAddress = createAddressMatcher(metricsIps);
  const isDatabaseReachable = createProbe(() => store.getUniqueOwner("ready", ""), KNOWN_MS);
  const canWrite = createProbe(() => store.probeWrite?.(), 0);

  function canReadMetrics(message: IncomingMessage): boolean {
    const ip = dependencies.clientAddressOf(message);
    const key = masterKeyOf(message);
    if (key !== undefined) return verifyMasterKey(key, ip) !== undefined;
    if (!isAllowedAddress(ip)) return false;
    if (dependencies.isFromTrustedProxy(message)) return true;
    // An unconfigured proxy forwards requests of strangers from its own address.
    const { forwarded, "x-forwarded-for": forwardedFor } = message.headers;
    return forwarded === undefined && forwardedFor === undefined;
  }

  return {
    async metrics(message: IncomingMessage): Promise<ApiReply> {
      if (!canReadMetrics(message)) {
        const body = JSON.stringify({ code: ErrorCode.OPERATION_FORBIDDEN, error: "unauthorized" });
        return { status: 403, body };
      }
      return { status: 200, body: await metrics.text(), headers: { "content-type": metrics.contentType } };
    },

    /** Returns 200 if the server can work, otherwise 503 with the reason; unless it is about to stop, includes the state of its worker threads. */
    async ready(): Promise<ApiReply> {
      if (!drainState.isReady) return { status: 503, body: '{"status":"draining"}' };
      const error = (await isDatabaseReachable()) ? await findProblem() : "The database does not respond";
      const states = workers().map(({ name, state, restarts }) => ({ name, state, restarts }));
      const status = error === undefined ? "ready" : "unavailable";
      const degraded = degradations();
      const body = JSON.stringify({
        status,
        ...(error !== undefined && { error }),
        ...(degraded.length > 0 && { degraded }),
        workers: states,
      });
      return { status: error === undefined ? 200 : 503, body };
    },
  };

  async function findProblem(): Promise<string | undefined> {
    // Only a write shows that the database can be written again.
    if (store.unavailableReason() !== undefined) await canWrite();
    return store.unavailableReason() ?? failedWorker();
  }

  function failedWorker(): string | undefined {
    const failed = workers().find(({ state }) => state === "failed");
    return failed && `The ${failed.name} has failed and will not be restarted`;
  }
}

/**
 * Creates the check whether something works, of which one runs at a time. While it has not ended within `ANSWER_MS`, the
 * answer is whether the last success is at most `knownMs` ago; as soon as it has been running for longer, without a wait.
 */
function createProbe(work: () => Promise<unknown> | undefined, knownMs: number): () => Promise<boolean> {
  let running: { startedAt: number; succeeds: Promise<boolean> } | undefined;
  let succeededAt = Number.NEGATIVE_INFINITY;

  function start(): NonNullable<typeof running> {
    const succeeds = Promise.resolve()
      .then(work)
      .then(
        () => {
          succeededAt = performance.now();
          return true;
        },
        () => false,
      )
      .finally(() => {
        running = undefined;
      });
    return { startedAt: performance.now(), succeeds };
  }

  return async () => {
    running ??= start();
    const restMs = Math.max(0, running.startedAt + ANSWER_MS - performance.now());
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(performance.now() - succeededAt <= knownMs), restMs);
    });
    const result = await Promise.race([running.succeeds, silence]);
    clearTimeout(timer);
    return result;
  };
}

/** The master key in the header of the Parse protocol, or as a bearer token, as Prometheus sends it. */
function masterKeyOf({ headers }: IncomingMessage): string | undefined {
  const headerKey = headers["x-parse-master-key"];
  if (typeof headerKey === "string") return headerKey;
  return /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
}
