import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonValue } from "@purse/protocol";
import type { ChainService, ChainServiceConfig } from "../src/chainService.ts";
import { createChainService } from "../src/createChainService.ts";
import type { EndpointRows } from "../src/endpoints/rows/row.ts";
import { ENDPOINTS } from "../src/endpoints/table.ts";
import type { ChainConfig } from "../src/model/chainConfig.ts";
import type { ChainStatus } from "../src/model/chainStatus.ts";
import type { Logger } from "../src/model/logger.ts";
import { READ_LIMITS, type ReadLimits } from "../src/store/indexReader.ts";
import { INDEXER_MODULE } from "./indexerModule.ts";

/** Rarely, because each poll takes some milliseconds of CPU time in a thread that has just started. */
const POLL_MS = 150;
/** The time between two polls of a service at the head while a test waits for it. */
const POLL_WHILE_WAITING_MS = 40;
const CHECK_MS = 10;
/** No read fails because the machine is busy. */
const PATIENT: ReadLimits = {
  lookup: { ...READ_LIMITS.lookup, timeoutMs: 60_000 },
  list: { ...READ_LIMITS.list, timeoutMs: 60_000 },
};

/** A logger that records its lines. */
export function createRecordingLogger(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const record = (message: string, fields?: Record<string, unknown>) => {
    lines.push(fields ? `${message} ${JSON.stringify(fields)}` : message);
  };
  return { lines, debug: record, info: record, warn: record, error: record };
}

export interface TestService {
  service: ChainService;
  log: { lines: string[] };
  /** Runs an endpoint by function name; returns the HTTP status as well. */
  runWithStatus(
    functionName: string,
    params: Record<string, unknown>,
  ): Promise<{ status: number; body: JsonValue }>;
  /** Runs an endpoint by function name; rejects if the response does not match its schema. */
  run(functionName: string, params: Record<string, unknown>): Promise<JsonValue>;
  status(): ChainStatus;
  /** Waits until the first chain's status meets a condition. */
  waitFor(condition: (status: ChainStatus) => boolean, deadline?: number): Promise<ChainStatus>;
  stop(): Promise<void>;
}

export async function startService(
  chain: Partial<ChainConfig> & Pick<ChainConfig, "id" | "rpcUrls">,
  location: string | ChainServiceConfig["database"],
  options: Pick<
    ChainServiceConfig,
    "fetchContent" | "firstSyncMs" | "retryMs" | "restart" | "readLimits" | "indexerModule" | "pollMs"
  > = {},
): Promise<TestService> {
  const rows: EndpointRows = ENDPOINTS;
  const log = createRecordingLogger();
  // The blocks of tests are old.
  const chains = [{ name: "localdevchain", aliases: ["eth"], stalledSeconds: 0, ...chain }];
  const database = typeof location === "string" ? { kind: "sqlite" as const, folder: location } : location;
  const service = createChainService({
    chains,
    database,
    log,
    pollMs: POLL_MS,
    indexerModule: INDEXER_MODULE,
    readLimits: PATIENT,
    ...options,
  });
  let polledAt = 0;
  let publishedAt = 0;
  service.onStatus(() => {
    publishedAt = Date.now();
  });
  await service.start();

  function status(): ChainStatus {
    const [first] = service.status();
    if (!first) throw new Error("there is no chain");
    return first;
  }
  function route(functionName: string) {
    const found = service.routes.find((each) => each.functionName === functionName);
    if (found) return found;
    throw new Error(`there is no ${functionName}`);
  }
  return {
    service,
    log,
    status,
    runWithStatus: async (functionName, params) => route(functionName).runWithStatus(params),
    async run(functionName, params) {
      const response = await route(functionName).run(params);
      // Parsing removes fields that the schema does not have.
      assert.deepEqual(rows[functionName]?.response.parse(response), response);
      return response;
    },
    async waitFor(condition, deadline = 30_000) {
      const end = Date.now() + deadline;
      let mayPoll = true;
      while (!condition(status())) {
        const now = Date.now();
        if (now > end) throw new Error(`timed out with status ${JSON.stringify(status())}`);
        // The result of a poll is seen before the next one begins.
        mayPoll ||= publishedAt > polledAt && now >= publishedAt + POLL_WHILE_WAITING_MS;
        if (mayPoll && status().state === "following") {
          polledAt = now;
          mayPoll = false;
          // Without addresses, it only polls.
          service.watch(chain.id, []);
        }
        await sleep(CHECK_MS);
      }
      return status();
    },
    stop: () => service.stop(),
  };
}
