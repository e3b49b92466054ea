import { parentPort, workerData } from "node:worker_threads";
import { READY } from "@purse/workers";
import type { Logger } from "../model/logger.ts";
import type { FetchedContent } from "../nft/fetchContent.ts";
import { ChainIndexers } from "./chainIndexers.ts";
import { startChain } from "./startChain.ts";
import type { Command, HostMessage, IndexerWorkerData, WorkerMessage } from "./workerMessages.ts";

/** Worker thread that fetches, decodes and writes blocks, so that requests never wait for it. */
const { chains, canIndex, pollMs, retryMs, reportsRanges, isRestart }: IndexerWorkerData = workerData;

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

function logWithLevel(level: keyof Logger): Logger["info"] {
  return (message, fields) => post({ kind: "log", level, message, fields });
}

const log: Logger = {
  debug: logWithLevel("debug"),
  info: logWithLevel("info"),
  warn: logWithLevel("warn"),
  error: logWithLevel("error"),
};

let lastFetchId = 0;
let isStopping = false;
const pendingFetches = new Map<number, PromiseWithResolvers<FetchedContent>>();

async function fetchContent(uri: string, maxBytes: number, deadlineMs: number): Promise<FetchedContent> {
  if (isStopping) throw new Error("the indexer is stopping");
  const id = ++lastFetchId;
  post({ kind: "fetch", id, uri, maxBytes, deadlineMs });
  const pending = Promise.withResolvers<FetchedContent>();
  pendingFetches.set(id, pending);
  return pending.promise;
}

/** Stops the indexers. The host has aborted the fetches that they wait for, and sends no content any more. */
async function stop(): Promise<void> {
  isStopping = true;
  const stopped = indexers.stop();
  for (const { reject } of pendingFetches.values()) reject(new Error("the indexer is stopping"));
  pendingFetches.clear();
  await stopped;
  post({ kind: "stopped" });
}

const indexers = new ChainIndexers({
  async startIndexer({ config, location }) {
    return startChain({
      ...{ config, location, canIndex },
      log,
      pollMs,
      retryMs,
      fetchContent,
      onStatus: (status) => post({ kind: "status", status }),
      onFinalBlock: (block) => post({ kind: "final", chainId: config.id, block }),
      onIndexed: reportsRanges ? (range) => post({ kind: "indexed", range }) : undefined,
      onHistory: (addresses) => post({ kind: "history", chainId: config.id, addresses }),
    });
  },
  onStatus: (status) => post({ kind: "status", status }),
  log,
  isRestart,
});
// At the same time, because each of their databases may be unavailable.
const waiting = new Set(
  chains.filter(({ config, location }) => config.database || (isRestart && location.kind === "postgres")),
);
const started = [...waiting].map((chain) => indexers.start(chain));
for (const chain of chains) if (!waiting.has(chain)) await indexers.start(chain);
await Promise.all(started);
parentPort?.postMessage(READY);

parentPort?.on("message", (message: HostMessage) => {
  if (message.kind === "fetched") {
    pendingFetches.get(message.id)?.resolve(message.content);
    pendingFetches.delete(message.id);
  } else if (message.kind === "stop") {
    void stop();
  } else {
    const { id, command } = message;
    execute(command).then(
      () => post({ kind: "done", id }),
      (error: unknown) => {
        // The command stays pending and is sent again after a restart.
        log.error("the index could not be written", { chain: command.chainId, error: String(error) });
      },
    );
  }
});

async function execute(command: Command): Promise<void> {
  const indexer = await indexers.get(command.chainId);
  if (command.kind === "watch") await indexer?.watch(command.addresses);
  else if (command.kind === "refreshMetadata") await indexer?.refreshMetadata(command.refresh);
  else await indexer?.saveTokenMetadata(command.reading);
}
