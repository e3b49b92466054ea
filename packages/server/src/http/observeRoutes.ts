import type { IncomingMessage } from "node:http";
import { ErrorCode } from "@purse/protocol";
import type { Metrics } from "../observe/metrics.ts";
import type { Store } from "../store/store.ts";
import { createAddressMatcher } from "./address.ts";
import type { ApiReply } from "./api.ts";
import type { ClientAddressOf } from "./clientAddress.ts";
import type { JudgeKey } from "./masterKey.ts";

export interface ObserveParts {
  metrics: Metrics;
  store: Store;
  judgeKey: JudgeKey;
  /** Addresses and ranges that may read the metrics without a key; `*` stands for all. */
  metricsIps: readonly string[];
  clientAddressOf: ClientAddressOf;
  isFromTrustedProxy(message: IncomingMessage): boolean;
}

/** How long the database may take to answer, in ms. */
const READY_MS = 2_000;

/** What machines ask of a server beside its doors: figures, and whether it can work. */
export function createObserveRoutes({ metrics, store, judgeKey, metricsIps, ...parts }: ObserveParts) {
  const isListed = createAddressMatcher(metricsIps);

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

    /** 200 where the database answers and announcements arrive, 503 otherwise. */
    async ready(): Promise<ApiReply> {
      const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), READY_MS).unref());
      const answered = store.ownerOf("ready", "").then(
        () => true,
        () => false,
      );
      const isAnswered = await Promise.race([answered, late]);
      const problem = isAnswered ? store.problem() : "The database does not answer";
      return problem === undefined
        ? { status: 200, body: '{"status":"ready"}' }
        : { status: 503, body: JSON.stringify({ status: "unavailable", error: problem }) };
    },
  };
}

/** In the header of the Parse protocol, or as a bearer token, as Prometheus sends it. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const own = headers["x-parse-master-key"];
  if (typeof own === "string") return own;
  return /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
}
