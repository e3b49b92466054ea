import type { ChainConfig } from "../model/chainConfig.ts";
import { type ChainStatus, isFollowing } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import type { BlockIdentity, BlockRow } from "../model/rows.ts";
import type { TokenMetadataReading } from "../model/tokens.ts";
import { MetadataReader, type MetadataReaderOptions } from "../nft/metadataReader.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import { BlockTracer } from "../node/blockTracer.ts";
import { BlockVerifier, COMMITMENTS, type VerifierOptions } from "../node/blockVerifier.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import type { ChainIndex } from "../store/openIndex.ts";
import { COUNTED_VERSION, SCHEMA_VERSION } from "../store/schema.ts";
import { COMMITMENTS_FACT } from "../store/upgradeProgress.ts";
import { ChainIndexer } from "./chainIndexer.ts";
import { fullScope } from "./fullScope.ts";
import {
  definitionOf,
  findConflict,
  type IndexDefinition,
  isUsable,
  readDefinition,
  saveDefinition,
  versionOf,
} from "./indexDefinition.ts";
import { Retention } from "./retention.ts";
import type { IndexedRange } from "./scope.ts";
import { updateTokenMetadata } from "./updateTokenMetadata.ts";
import {
  correctAfterOlderVersion,
  type UpgradeOptions,
  upgradeIndex,
  upgradeOwners,
} from "./upgradeIndex.ts";
import { WalletHistory } from "./walletHistory.ts";
import { walletScope } from "./walletScope.ts";

export interface StartIndexingOptions {
  config: ChainConfig;
  node: ChainNode;
  index: ChainIndex;
  log: Logger;
  /** Poll interval for the next block at the head, in ms. */
  pollMs: number;
  /** Delay before failed metadata is read again, in ms. */
  retryMs: number;
  fetchContent: MetadataReaderOptions["fetchContent"];
  onStatus?: (status: ChainStatus) => void;
  /** Reports the final block that the nodes of the chain must have. */
  onFinalBlock?: ((block: BlockIdentity) => void) | undefined;
  /** Reports each range that has been written. */
  onIndexed?: ((range: IndexedRange) => void) | undefined;
  /** Reports addresses whose history has been extended. */
  onHistory?: (addresses: string[]) => void;
  /** Whether another index is built beside this one if it cannot be used, so that it must not be emptied. */
  isReplaced?: boolean;
  /** What is done at the head of the chain, if this index is built beside another one. */
  beside?: BesideSteps;
}

/** Steps by which an index takes the place of another one. */
export interface BesideSteps {
  /** Runs before tokens are read; returns false if more blocks have to be indexed before. */
  prepare(): Promise<boolean>;
  /** Runs when there is nothing else to do; returns whether there is more now. */
  complete(): Promise<boolean>;
}

/** A running indexer with its metadata reader. */
export interface RunningIndexer {
  /** Indexes wallets with their history, and polls immediately. */
  watch(addresses: string[]): Promise<void>;
  /** Stores metadata of tokens in the index. */
  saveTokenMetadata(reading: TokenMetadataReading): Promise<void>;
  /** Refreshes the metadata of NFTs. */
  refreshMetadata(refresh: MetadataRefresh): Promise<void>;
  stop(): Promise<void>;
}

/** Starts indexing a chain. Rebuilds an index with other settings, and upgrades one of the previous version. */
export async function startIndexing(options: StartIndexingOptions): Promise<RunningIndexer> {
  const { config, node, index, log, pollMs, onStatus, beside } = options;
  const { store, writer } = index;
  const { startBlock = 0, scope: scopeName = "chain" } = config;
  const definition = definitionOf(config, index);
  const context = { chainId: config.id, wrappedNative: marketOf(config).wrappedNative };
  const history = new WalletHistory(node, store, writer, startBlock, context, options.onHistory);
  const isWalletScope = scopeName === "wallets";
  let isPrepared = false;
  let isStopping = false;
  const upgradeOptions: UpgradeOptions = {
    store,
    writer,
    context,
    target: JSON.stringify(definition),
    isFullIndex: !isWalletScope,
    chainName: config.name,
    log,
    async assertCanContinue() {
      if (isStopping) throw new Error("the upgrade of the index was aborted: the server is stopping");
      if (!(await index.isLeader())) throw new Error("another process is upgrading the index");
    },
  };
  const upgrade = (existing: IndexDefinition) => {
    const isCounted = existing.layout >= COUNTED_VERSION && existing.wrapped === definition.wrapped;
    return (isCounted ? upgradeOwners : upgradeIndex)(upgradeOptions);
  };
  /** The term of the lease for which the index was prepared. */
  let preparedTerm: number | undefined;
  async function prepareTerm(): Promise<void> {
    const term = index.term();
    if (term === undefined || term === preparedTerm) return;
    // Another leader may have removed partitions, or built the index anew.
    index.partitions?.reset();
    const existing = await readDefinition(index);
    // No older version writes other indexes.
    if ((existing?.layout ?? SCHEMA_VERSION) < SCHEMA_VERSION)
      await correctAfterOlderVersion(upgradeOptions, term);
    preparedTerm = term;
  }
  const retention = new Retention({ index, keep: config, chainName: config.name, log });
  let hasConflict = false;
  /** The latest block, while the index is at the head. */
  let newest: BlockRow | undefined;
  const metadataReader = new MetadataReader({
    chainName: config.name,
    node,
    metadata: store.metadata,
    updates: store.nftUpdates,
    fetchContent: options.fetchContent,
    newest: () => newest,
    log,
    retryMs: options.retryMs,
  });

  if (!isWalletScope && config.verifyRoots !== false)
    node.verifyBlocks(new BlockVerifier(await verifierOptions(index, config.name, log)));
  const scope = isWalletScope
    ? walletScope(node, context, () => history.addresses)
    : fullScope(
        node,
        context,
        config.traces ? new BlockTracer(node, config.name, log, () => isStopping) : undefined,
      );

  const indexer = new ChainIndexer({
    ...{ config, node, store, writer, scope, log },
    pollMs,
    onIndexed: options.onIndexed,
    onFinalBlock: options.onFinalBlock,
    onStatus(status) {
      if (!isFollowing(status)) newest = undefined;
      onStatus?.(status);
    },
    async canIndex() {
      // A process that cannot write the index must not hold its lease.
      const conflict = isPrepared ? undefined : await findConflict(index, definition);
      if (conflict !== undefined && !hasConflict) log.warn(conflict, { chain: config.name, definition });
      hasConflict = conflict !== undefined;
      if (hasConflict || !(await index.isLeader())) {
        newest = undefined;
        await retention.refresh();
        return false;
      }
      if (!isPrepared) await prepareIndex(index, definition, upgrade, options);
      await prepareTerm();
      await retention.refresh();
      if (isWalletScope) await history.load();
      isPrepared = true;
      return true;
    },
    term: () => index.term(),
    keptFrom: () => retention.keptFrom,
    async afterWrite(indexed, finalized) {
      await retention.apply(indexed, finalized);
    },
    async afterStep(checkpoint, state, finalized) {
      if (state === "following") {
        if (newest?.hash !== checkpoint.hash) metadataReader.wake();
        newest = checkpoint;
      }
      if (isWalletScope && (await history.step(checkpoint))) return true;
      if (state !== "following") return false;
      if (beside && !(await beside.prepare())) return false;
      const hasMoreTokens = await updateTokenMetadata(node, store, writer);
      const hasMore = (await retention.apply(checkpoint.number, finalized)) || hasMoreTokens;
      return hasMore || (beside !== undefined && (await beside.complete()));
    },
  });
  index.onTermEnd(() => indexer.reportTerm());
  indexer.start();
  metadataReader.start();
  return {
    async watch(addresses) {
      if (addresses.length > 0) await writer.enqueueWallets(addresses);
      indexer.wake();
    },
    saveTokenMetadata: (reading) => writer.saveTokenMetadata(reading),
    async refreshMetadata(refresh) {
      if ("nft" in refresh) await store.metadata.requestRefresh(refresh.nft, refresh.target);
      else await store.nftUpdates.requestCollectionRefresh(refresh.collection);
      metadataReader.wake();
      indexer.wake();
    },
    async stop() {
      isStopping = true;
      await Promise.all([indexer.stop(), metadataReader.stop()]);
      await index.close();
    },
  };
}

/** Only the process that indexes the chain writes the index. */
async function saveCommitments(index: ChainIndex, known: readonly string[]): Promise<void> {
  if (await index.isLeader()) await index.writer.saveProperty(COMMITMENTS_FACT, known.join(" "));
}

/** What is known of the chain is stored in its index, so that it holds from the first block after a restart. */
async function verifierOptions(index: ChainIndex, chainName: string, log: Logger): Promise<VerifierOptions> {
  const saved = (await index.store.properties()).get(COMMITMENTS_FACT)?.split(" ") ?? [];
  return {
    known: COMMITMENTS.filter((commitment) => saved.includes(commitment)),
    onKnown(known) {
      saveCommitments(index, known).catch((error: unknown) => {
        log.warn("it could not be stored how the blocks of a chain are verified", {
          chain: chainName,
          error: String(error),
        });
      });
    },
    onUnknown(commitment, block) {
      log.warn("blocks of the chain are stored without verifying what their hashes commit to", {
        ...{ chain: chainName, unverified: commitment, block },
        reason: "the chain computes it in another way than Ethereum, or its node has changed the block",
      });
    },
  };
}

/**
 * Rebuilds an index with another scope, a later start or without the required traces, unless another one is built beside
 * it. Upgrades an index whose logs were decoded differently, unless another process has done so since this one started.
 */
async function prepareIndex(
  index: ChainIndex,
  definition: IndexDefinition,
  upgrade: (existing: IndexDefinition) => Promise<void>,
  { config: { name }, isReplaced, log }: StartIndexingOptions,
): Promise<void> {
  const existing = await readDefinition(index);
  const { writer } = index;
  if (existing && isUsable(existing, definition)) {
    const isSameVersion = versionOf(existing) >= SCHEMA_VERSION;
    const isCurrent = isSameVersion && existing.wrapped === definition.wrapped;
    // Blocks that are no longer traced leave a gap.
    if (isCurrent && existing.traces === definition.traces) return;
    if (isSameVersion && (existing.at ?? 0) > index.openedAt) return;
    if (!isCurrent) await upgrade(existing);
  } else if (existing) {
    if (isReplaced) throw new Error("the index has other settings than when it was opened");
    log.info("the index is rebuilt because its settings have changed", { chain: name });
    await writer.clear();
  }
  await saveDefinition(index, definition);
}
