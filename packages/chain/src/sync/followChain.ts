import { MetadataReader, type MetadataReaderParts } from "../nft/metadataReader.ts";
import type { ChainNode } from "../node/chainNode.ts";
import type { TokenFacts } from "../store/indexWriter.ts";
import { LAYOUT } from "../store/layout.ts";
import type { ChainIndex } from "../store/openIndex.ts";
import type { BlockRow } from "../store/rows.ts";
import type { ChainConfig, ChainStatus, Log } from "../types.ts";
import { Follower } from "./follower.ts";
import { knownWallets } from "./knownWallets.ts";
import { learnTokens } from "./learnTokens.ts";
import type { Reread } from "./messages.ts";
import { WalletHistory } from "./walletHistory.ts";
import { wholeChain } from "./wholeChain.ts";

export interface FollowParts {
  config: ChainConfig;
  node: ChainNode;
  /** Of the same chain, for calls of contracts that nobody vouches for. */
  callNode: ChainNode;
  index: ChainIndex;
  log: Log;
  /** How long to wait for the next block at the head, in ms. */
  pollMs: number;
  /** Before the second look at metadata that could not be read, in ms. */
  retryMs: number;
  fetchContent: MetadataReaderParts["fetchContent"];
  onStatus?: (status: ChainStatus) => void;
}

/** A chain whose index is being kept. */
export interface FollowedChain {
  /** Has addresses followed, and their history read. */
  watch(addresses: string[]): void;
  /** Keeps what tokens say of themselves. */
  learn(tokens: TokenFacts[]): void;
  /** Has what tokens are read again. */
  reread(reread: Reread): void;
  stop(): Promise<void>;
}

/** Begins to keep the index of one chain, of which an older one that was made otherwise is removed. */
export async function followChain(parts: FollowParts): Promise<FollowedChain> {
  const { config, node, index, log, pollMs, onStatus } = parts;
  const { store, writer } = index;
  const { startBlock = 0, scope: scopeName = "chain" } = config;
  const history = new WalletHistory(node, store, writer, startBlock);
  const isWallets = scopeName === "wallets";
  let prepared = false;
  /** The newest block, while the index is at the head. */
  let newest: BlockRow | undefined;
  const reader = new MetadataReader({
    chainName: config.name,
    node: parts.callNode,
    metadata: store.metadata,
    fetchContent: parts.fetchContent,
    newest: () => newest,
    log,
    retryMs: parts.retryMs,
  });

  const follower = new Follower({
    config,
    node,
    store,
    writer,
    scope: isWallets ? knownWallets(node, () => history.addresses) : wholeChain(node),
    log,
    pollMs,
    onStatus(status) {
      if (status.state !== "following") newest = undefined;
      onStatus?.(status);
    },
    async mayFollow() {
      if (!(await index.leads())) {
        newest = undefined;
        return false;
      }
      if (!prepared)
        await renewIndex(index, { layout: LAYOUT, scope: scopeName, startBlock }, config.name, log);
      if (isWallets) await history.load();
      prepared = true;
      return true;
    },
    async between(checkpoint, state) {
      if (state === "following") {
        if (newest?.hash !== checkpoint.hash) reader.wake();
        newest = checkpoint;
      }
      if (isWallets && (await history.step(checkpoint))) return true;
      return state === "following" && (await learnTokens(node, store, writer));
    },
  });
  const report = (error: unknown) => {
    log.error("the index could not be written", { chain: config.name, error: String(error) });
  };
  follower.start();
  reader.start();
  return {
    watch(addresses) {
      writer.want(addresses).then(() => follower.wake(), report);
    },
    learn(tokens) {
      writer.saveTokens(tokens).catch(report);
    },
    reread(reread) {
      const asked =
        "nft" in reread
          ? store.metadata.want(reread.nft, reread.what)
          : store.metadata.wantCollection(reread.collection);
      asked.then(() => {
        reader.wake();
        follower.wake();
      }, report);
    },
    async stop() {
      parts.callNode.abort();
      await Promise.all([follower.stop(), reader.stop()]);
      await index.close();
    },
  };
}

interface Making {
  layout: number;
  scope: string;
  startBlock: number;
}

/** Removes an index whose tables, scope or start are not those that are wanted; one that begins earlier may stay. */
async function renewIndex(
  { store, writer }: ChainIndex,
  wanted: Making,
  name: string,
  log: Log,
): Promise<void> {
  const made = (await store.facts()).get("making");
  if (made !== undefined) {
    const { layout, scope, startBlock }: Making = JSON.parse(made);
    if (layout === wanted.layout && scope === wanted.scope && startBlock <= wanted.startBlock) return;
    log.info("the index is made anew, for its settings have changed", { chain: name });
    await writer.clear();
  }
  await writer.saveFact("making", JSON.stringify(wanted));
}
