import { ErrorCode, ProtocolError } from "@purse/protocol";
import { createChainSelector } from "./chains.ts";
import { accountRoutes, type FollowedChain } from "./endpoints/account.ts";
import { infoRoutes } from "./endpoints/info.ts";
import { ChainNode } from "./node/chainNode.ts";
import { ChainStore } from "./store/chainStore.ts";
import { Follower } from "./sync/follower.ts";
import type { ChainService, ChainServiceConfig } from "./types.ts";

const POLL_MS = 1_000;
/** For calls of contracts that nobody vouches for: one try, and an answer that fits. */
const UNTRUSTED = { timeoutMs: 10_000, maxBytes: 64 * 1024, retries: 0 };

/** The data service over EVM chains: an index that follows them, and endpoints that answer from it and from nodes. */
export function createChainService({
  chains,
  dataDir,
  log,
  pollMs = POLL_MS,
}: ChainServiceConfig): ChainService {
  const running: { store?: ChainStore; followers: Follower[] } = { followers: [] };
  const followed: FollowedChain[] = chains.map((config) => {
    const node = new ChainNode(config.id, config.rpcUrls);
    return {
      config,
      node,
      get store() {
        if (!running.store)
          throw new ProtocolError(ErrorCode.NOT_INITIALIZED, "the data service has not been started", 503);
        return running.store;
      },
      firstLook: async () => running.followers[chains.indexOf(config)]?.firstLook(),
      status: () =>
        running.followers[chains.indexOf(config)]?.status ??
        ({
          chain: config.id,
          name: config.name,
          state: "syncing",
          head: null,
          indexed: null,
          lag: null,
        } as const),
    };
  });
  const select = createChainSelector(followed);
  const account = accountRoutes(select);
  const untrusted = new Map(chains.map(({ id, rpcUrls }) => [id, new ChainNode(id, rpcUrls, UNTRUSTED)]));

  return {
    routes: [...infoRoutes(account), ...account],
    status: () => followed.map((chain) => chain.status()),
    chainIdOf: (selector) => select(selector).config.id,
    async call(chainId, call, signal) {
      const node = untrusted.get(chainId);
      if (!node) throw new Error(`chain ${chainId} is not configured`);
      return node.call(call, signal);
    },
    async start() {
      const store = await ChainStore.open(dataDir);
      running.store = store;
      running.followers = followed.map(
        ({ config, node }) => new Follower({ config, node, store, log, pollMs }),
      );
      for (const follower of running.followers) follower.start();
      for (const { aliases, name } of chains)
        if (aliases.length > 0) log.info("chain", { name, alsoKnownAs: aliases });
    },
    async stop() {
      for (const node of untrusted.values()) node.abort();
      await Promise.all(running.followers.map((follower) => follower.stop()));
      await running.store?.close();
    },
  };
}
