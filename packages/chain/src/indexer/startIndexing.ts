import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import type { BlockRow } from "../model/rows.ts";
import type { TokenFacts } from "../model/tokens.ts";
import { MetadataReader, type MetadataReaderParts } from "../nft/metadataReader.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import type { ChainIndex } from "../store/openIndex.ts";
import { LAYOUT, UPGRADED_LAYOUT } from "../store/schema.ts";
import { Follower } from "./chainIndexer.ts";
import { wholeChain } from "./fullScope.ts";
import { learnTokens } from "./updateTokenMetadata.ts";
import { upgradeIndex } from "./upgradeIndex.ts";
import { WalletHistory } from "./walletHistory.ts";
import { knownWallets } from "./walletScope.ts";

export interface FollowParts {
  config: ChainConfig;
  node: ChainNode;
  /** Of the same chain, for calls of contracts that nobody vouches for. */
  callNode: ChainNode;
  index: ChainIndex;
  log: Logger;
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
  reread(reread: MetadataRefresh): Promise<void>;
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
  const wrapped = context.wrappedNative ?? null;
  const wanted: Making = { layout: LAYOUT, scope: scopeName, startBlock, wrapped };
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
  let isLeftToOthers = false;
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
      // Whoever may not write the index does not keep others from it.
      const others = prepared ? undefined : await whoseIndex(index, wanted);
      if (others !== undefined && !isLeftToOthers) log.warn(others, { chain: config.name, wanted });
      isLeftToOthers = others !== undefined;
      if (isLeftToOthers || !(await index.leads())) {
        newest = undefined;
        return false;
      }
      if (!prepared) await renewIndex(index, wanted, () => upgrade(JSON.stringify(wanted)), config.name, log);
      if (isWallets) await history.load();
      prepared = true;
      return true;
    },
    term: () => index.term(),
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
  /** When it was begun, by the clock of the index; ms since the epoch. */
  at?: number;
}

async function makingOf({ store }: ChainIndex): Promise<Making | undefined> {
  const made = (await store.facts()).get("making");
  return made === undefined ? undefined : JSON.parse(made);
}

/** Whether an index can stay, as it is or brought up to date. */
function isUsable({ layout, scope, startBlock }: Making, wanted: Making): boolean {
  const isKnown = layout === wanted.layout || layout === UPGRADED_LAYOUT;
  return isKnown && scope === wanted.scope && startBlock <= wanted.startBlock;
}

/**
 * Says so where the index belongs to other processes: to newer ones, or to some with other settings that began it anew after
 * this one had started. Such an index is never removed, so that processes that differ do not remove it in turns.
 */
async function whoseIndex(index: ChainIndex, wanted: Making): Promise<string | undefined> {
  const made = await makingOf(index);
  if (!made || isUsable(made, wanted)) return undefined;
  if (made.layout > wanted.layout) return "the index was made by a newer version: it is left to others";
  if ((made.at ?? 0) <= index.openedAt) return undefined;
  return "the index was made anew by a process with other settings: it is left to others";
}

/**
 * Removes an index whose scope or start are not those that are wanted; one that begins earlier may stay. One of which the
 * logs were read otherwise is brought up to date, unless others have done so since this process started.
 */
async function renewIndex(
  index: ChainIndex,
  wanted: Making,
  upgrade: () => Promise<void>,
  name: string,
  log: Logger,
): Promise<void> {
  const made = await makingOf(index);
  const { writer } = index;
  if (made && isUsable(made, wanted)) {
    if (made.layout === wanted.layout && made.wrapped === wanted.wrapped) return;
    if (made.layout === wanted.layout && (made.at ?? 0) > index.openedAt) return;
    await upgrade();
  } else if (made) {
    log.info("the index is made anew, for its settings have changed", { chain: name });
    await writer.clear();
  }
  await writer.saveFact("making", JSON.stringify({ ...wanted, at: await index.now() }));
}
