import { MetadataReader, type MetadataReaderParts } from "../nft/metadataReader.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import type { TokenFacts } from "../store/indexWriter.ts";
import { LAYOUT, UPGRADED_LAYOUT } from "../store/layout.ts";
import type { ChainIndex } from "../store/openIndex.ts";
import type { BlockRow } from "../store/rows.ts";
import type { ChainConfig, ChainStatus, Log } from "../types.ts";
import { Follower } from "./follower.ts";
import { knownWallets } from "./knownWallets.ts";
import { learnTokens } from "./learnTokens.ts";
import type { Reread } from "./messages.ts";
import { upgradeIndex } from "./upgradeIndex.ts";
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
  /** Told of addresses of which more history is in the index. */
  onHistory?: (addresses: string[]) => void;
}

/** A chain whose index is being kept. */
export interface FollowedChain {
  /** Has addresses followed, and their history read. */
  watch(addresses: string[]): Promise<void>;
  /** Keeps what tokens say of themselves. */
  learn(tokens: TokenFacts[]): Promise<void>;
  /** Has what tokens are read again. */
  reread(reread: Reread): Promise<void>;
  stop(): Promise<void>;
}

/** Begins to keep the index of one chain, of which an older one that was made otherwise is removed. */
export async function followChain(parts: FollowParts): Promise<FollowedChain> {
  const { config, node, index, log, pollMs, onStatus } = parts;
  const { store, writer } = index;
  const { startBlock = 0, scope: scopeName = "chain" } = config;
  const context = { chainId: config.id, wrappedNative: marketOf(config).wrappedNative };
  const history = new WalletHistory(node, store, writer, startBlock, context, parts.onHistory);
  const isWallets = scopeName === "wallets";
  let prepared = false;
  let isStopping = false;
  const upgrade = (target: string) =>
    upgradeIndex({
      store,
      writer,
      context,
      target,
      isWhole: !isWallets,
      chainName: config.name,
      log,
      async assertMayGoOn() {
        if (isStopping) throw new Error("the index is not brought up to date: the server stops");
        if (!(await index.leads())) throw new Error("another process brings the index up to date");
      },
    });
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
    scope: isWallets ? knownWallets(node, context, () => history.addresses) : wholeChain(node, context),
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
      if (!prepared) {
        const wrapped = context.wrappedNative ?? null;
        const making = { layout: LAYOUT, scope: scopeName, startBlock, wrapped };
        await renewIndex(index, making, () => upgrade(JSON.stringify(making)), config.name, log);
      }
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
  follower.start();
  reader.start();
  return {
    async watch(addresses) {
      await writer.want(addresses);
      follower.wake();
    },
    learn: (tokens) => writer.saveTokens(tokens),
    async reread(reread) {
      if ("nft" in reread) await store.metadata.want(reread.nft, reread.what);
      else await store.metadata.wantCollection(reread.collection);
      reader.wake();
      follower.wake();
    },
    async stop() {
      isStopping = true;
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
  /** The contract of the wrapped coin; null for none. */
  wrapped?: string | null;
}

/**
 * Removes an index whose scope or start are not those that are wanted; one that begins earlier may stay. One of which the
 * logs were read otherwise is brought up to date.
 */
async function renewIndex(
  { store, writer }: ChainIndex,
  wanted: Making,
  upgrade: () => Promise<void>,
  name: string,
  log: Log,
): Promise<void> {
  const made = (await store.facts()).get("making");
  if (made !== undefined) {
    const { layout, scope, startBlock, wrapped }: Making = JSON.parse(made);
    const isUsable =
      (layout === wanted.layout || layout === UPGRADED_LAYOUT) &&
      scope === wanted.scope &&
      startBlock <= wanted.startBlock;
    if (isUsable && layout === wanted.layout && wrapped === wanted.wrapped) return;
    if (isUsable) await upgrade();
    else {
      log.info("the index is made anew, for its settings have changed", { chain: name });
      await writer.clear();
    }
  }
  await writer.saveFact("making", JSON.stringify(wanted));
}
