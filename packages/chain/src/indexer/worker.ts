import { parentPort, workerData } from "node:worker_threads";
import { READY } from "@purse/workers";
import type { Logger } from "../model/logger.ts";
import type { FetchedContent } from "../nft/fetchContent.ts";
import { ChainNode } from "../node/chainNode.ts";
import { openIndex } from "../store/openIndex.ts";
import { type FollowedChain, followChain } from "./startIndexing.ts";
import type { Command, FromThread, ThreadData, ToThread } from "./workerMessages.ts";

/** The thread that follows chains: reading, decoding and writing blocks never makes a request wait. */
const { chains, pollMs, retryMs }: ThreadData = workerData;

/** What contracts make a node do must not look like the node's own failing. */
const UNTRUSTED = { timeoutMs: 10_000, maxBytes: 16 * 1024 * 1024, retries: 0 };

function tell(message: FromThread): void {
  parentPort?.postMessage(message);
}

function logAt(level: keyof Logger): Logger["info"] {
  return (message, fields) => tell({ kind: "log", level, message, fields });
}

const log: Logger = {
  debug: logAt("debug"),
  info: logAt("info"),
  warn: logAt("warn"),
  error: logAt("error"),
};

let fetches = 0;
const fetching = new Map<number, (content: FetchedContent) => void>();

function fetchContent(uri: string, maxBytes: number, deadlineMs: number): Promise<FetchedContent> {
  const id = ++fetches;
  tell({ kind: "fetch", id, uri, maxBytes, deadlineMs });
  return new Promise((resolve) => fetching.set(id, resolve));
}

const followed = new Map<number, FollowedChain>();
for (const { config, place } of chains) {
  const index = await openIndex(place, log);
  const node = new ChainNode(config.id, config.rpcUrls);
  const callNode = new ChainNode(config.id, config.rpcUrls, UNTRUSTED);
  const chain = await followChain({
    config,
    node,
    callNode,
    index,
    log,
    pollMs,
    retryMs,
    fetchContent,
    onStatus: (status) => tell({ kind: "status", status }),
    onHistory: (addresses) => tell({ kind: "history", chainId: config.id, addresses }),
  });
  followed.set(config.id, chain);
}
parentPort?.postMessage(READY);

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "fetched") {
    fetching.get(message.id)?.(message.content);
    fetching.delete(message.id);
  } else if (message.kind === "stop") {
    Promise.all([...followed.values()].map((chain) => chain.stop())).then(() => tell({ kind: "stopped" }));
  } else {
    const { id, command } = message;
    carryOut(command).then(
      () => tell({ kind: "done", id }),
      (error: unknown) => {
        // It is kept, and told again to a thread that takes this one's place.
        log.error("the index could not be written", { chain: command.chainId, error: String(error) });
      },
    );
  }
});

async function carryOut(command: Command): Promise<void> {
  const chain = followed.get(command.chainId);
  if (command.kind === "watch") await chain?.watch(command.addresses);
  else if (command.kind === "reread") await chain?.reread(command.reread);
  else await chain?.learn(command.tokens);
}
