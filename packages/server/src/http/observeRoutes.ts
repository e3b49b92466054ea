import type { IncomingMessage } from "node:http";
import { ErrorCode } from "@purse/protocol";
import type { WorkerHealth } from "@purse/workers";
import type { Metrics } from "../observe/metrics.ts";
import type { Store } from "../store/store.ts";
import { createAddressMatcher } from "./address.ts";
import type { ApiReply } from "./api.ts";
import type { ClientAddressOf } from "./clientAddress.ts";
import type { JudgeKey } from "./masterKey.ts";

export interface ObserveParts {
  metrics: Metrics;
  store: Pick<Store, "ownerOf" | "problem" | "probeWrite">;
  /** The worker threads of the server. */
  workers(): WorkerHealth[];
  judgeKey: JudgeKey;
  /** Addresses and ranges that may read the metrics without a key; `*` stands for all. */
  metricsIps: readonly string[];
  clientAddressOf: ClientAddressOf;
  isFromTrustedProxy(message: IncomingMessage): boolean;
}

/** How long the database may take to answer, or to write, in ms. */
const READY_MS = 2_000;

/** What machines ask of a server beside its doors: figures, and whether it can work. */
export function createObserveRoutes({
  metrics,
  store,
  workers,
  judgeKey,
  metricsIps,
  ...parts
}: ObserveParts) {
  const isListed = createAddressMatcher(metricsIps);
  let probing: Promise<boolean> | undefined;

  function mayRead(message: IncomingMessage): boolean {
    const ip = parts.clientAddressOf(message);
    const key = keyOf(message);
    if (key !== undefined) return judgeKey(key, ip) !== undefined;
    if (!isListed(ip)) return false;
    if (parts.isFromTrustedProxy(message)) return true;
    // A proxy that is not configured sends the requests of strangers from its own address.
    const { forwarded, "x-forwarded-for": forwardedFor } = message.headers;
    return forwarded === undefined && forwardedFor === undefined;
  }

  return {
    async metrics(message: IncomingMessage): Promise<ApiReply> {
      if (!mayRead(message)) {
        const body = JSON.stringify({ code: ErrorCode.OPERATION_FORBIDDEN, error: "unauthorized" });
        return { status: 403, body };
      }
      return { status: 200, body: await metrics.text(), headers: { "content-type": metrics.contentType } };
    },

    /** 200 where the server can work, 503 with the reason otherwise. Says how its worker threads are. */
    async ready(): Promise<ApiReply> {
      const error = (await isAnswering(store)) ? await problemOf() : "The database does not answer";
      const states = workers().map(({ name, state, restarts }) => ({ name, state, restarts }));
      const status = error === undefined ? "ready" : "unavailable";
      const body = JSON.stringify({ status, ...(error !== undefined && { error }), workers: states });
      return { status: error === undefined ? 200 : 503, body };
    },
  };

  async function problemOf(): Promise<string | undefined> {
    // Somebody has to write for the server to notice that it can again.
    if (store.problem() !== undefined) await probeWrite();
    return store.problem() ?? failedWorker();
  }

  async function probeWrite(): Promise<void> {
    probing ??= within(READY_MS, store.probeWrite?.()).finally(() => {
      probing = undefined;
    });
    await probing;
  }

  function failedWorker(): string | undefined {
    const failed = workers().find(({ state }) => state === "failed");
    return failed && `The ${failed.name} has failed and is not restarted any more`;
  }
}

async function isAnswering(store: ObserveParts["store"]): Promise<boolean> {
  return within(READY_MS, store.ownerOf("ready", ""));
}

/** Whether something succeeds in time. */
async function within(ms: number, work: Promise<unknown> | undefined): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ms).unref());
  const done = Promise.resolve(work).then(
    () => true,
    () => false,
  );
  return Promise.race([done, late]);
}

/** In the header of the Parse protocol, or as a bearer token, as Prometheus sends it. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const own = headers["x-parse-master-key"];
  if (typeof own === "string") return own;
  return /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
}
