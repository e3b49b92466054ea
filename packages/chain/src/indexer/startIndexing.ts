import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import type { BlockRow } from "../model/rows.ts";
import type { TokenMetadataReading } from "../model/tokens.ts";
import { MetadataReader, type MetadataReaderOptions } from "../nft/metadataReader.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import { BlockTracer } from "../node/blockTracer.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import type { ChainIndex } from "../store/openIndex.ts";
import {
  COUNTED_VERSION,
  PARTITIONS_VERSION,
  SCHEMA_VERSION,
  UPGRADABLE_VERSION,
  WRITABLE_VERSION,
} from "../store/schema.ts";
import { DEFINITION_FACT, KEPT_FACT } from "../store/upgradeProgress.ts";
import { ChainIndexer } from "./chainIndexer.ts";
import { createBackfill } from "./createBackfill.ts";
import { fullScope } from "./fullScope.ts";
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
  /** Reports each range that has been written. */
  onIndexed?: ((range: IndexedRange) => void) | undefined;
  /** Reports addresses whose history has been extended. */
  onHistory?: (addresses: string[]) => void;
}

/** A running indexer with its metadata reader. */
export interface RunningIndexer {
  /** Indexes wallets with their history. */
  watch(addresses: string[]): Promise<void>;
  /** Stores metadata of tokens in the index. */
  saveTokenMetadata(reading: TokenMetadataReading): Promise<void>;
  /** Refreshes the metadata of NFTs. */
  refreshMetadata(refresh: MetadataRefresh): Promise<void>;
  stop(): Promise<void>;
}

/** Starts indexing a chain. Rebuilds an index with other settings, and upgrades one of the previous version. */
export async function startIndexing(options: StartIndexingOptions): Promise<RunningIndexer> {
  const { config, node, index, log, pollMs, onStatus } = options;
  const { store, writer } = index;
  const { startBlock = 0, scope: scopeName = "chain" } = config;
  const context = { chainId: config.id, wrappedNative: marketOf(config).wrappedNative };
  const history = new WalletHistory(node, store, writer, startBlock, context, options.onHistory);
  const isWalletScope = scopeName === "wallets";
  const wrapped = context.wrappedNative ?? null;
  const definition: IndexDefinition = {
    ...(index.isShared ? { layout: WRITABLE_VERSION, revision: SCHEMA_VERSION } : { layout: SCHEMA_VERSION }),
    scope: scopeName,
    startBlock,
    wrapped,
    ...(config.traces && { traces: true }),
    ...index.eventDefinition,
  };
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
    backfill?.reset();
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

  const scope = isWalletScope
    ? walletScope(node, context, () => history.addresses)
    : fullScope(
        node,
        context,
        config.traces ? new BlockTracer(node, config.name, log, () => isStopping) : undefined,
      );
  const backfill = isWalletScope
    ? undefined
    : createBackfill(index, savedDefinition(definition, true), { scope, log, chainName: config.name });

  const indexer = new ChainIndexer({
    ...{ config, node, store, writer, scope, backfill, log },
    pollMs,
    onIndexed: options.onIndexed,
    onStatus(status) {
      if (status.state !== "following") newest = undefined;
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
      if (!isPrepared) await prepareIndex(index, definition, upgrade, config.name, log);
      await prepareTerm();
      await retention.refresh();
      if (isWalletScope) await history.load();
      isPrepared = true;
      return true;
    },
    term: () => index.term(),
    keptFrom: () => retention.keptFrom,
    async afterWrite(indexed, finalized) {
      await backfill?.update();
      return retention.apply(indexed, finalized);
    },
    async afterStep(checkpoint, state, finalized) {
      if (state === "following") {
        if (newest?.hash !== checkpoint.hash) metadataReader.wake();
        newest = checkpoint;
      }
      if (isWalletScope && (await history.step(checkpoint))) return true;
      if (state !== "following") return false;
      const hasMoreTokens = await updateTokenMetadata(node, store, writer);
      return (await retention.apply(checkpoint.number, finalized)) || hasMoreTokens;
    },
  });
  indexer.start();
  metadataReader.start();
  return {
    async watch(addresses) {
      await writer.enqueueWallets(addresses);
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
      await Promise.all([indexer.stop(), metadataReader.stop(), backfill?.stop()]);
      await index.close();
    },
  };
}

interface IndexDefinition {
  /** The version that a process has to know to write the index. */
  layout: number;
  /** The version that wrote it, if that is a later one. */
  revision?: number;
  scope: string;
  startBlock: number;
  /** Contract of the wrapped native coin; null for none. */
  wrapped?: string | null;
  /** Whether it contains the coins that contracts sent. */
  traces?: boolean;
  /** Where the events are, if not in the SQL database. */
  events?: string;
  /** The first block whose events are kept, if others have been removed; it is not part of the saved definition. */
  kept?: number;
  /** When the index was built, by the clock of the index; ms since the epoch. */
  at?: number;
}

async function readDefinition({ store }: ChainIndex): Promise<IndexDefinition | undefined> {
  const properties = await store.properties();
  const [text, kept] = [properties.get(DEFINITION_FACT), properties.get(KEPT_FACT)];
  if (text === undefined) return undefined;
  const existing: IndexDefinition = JSON.parse(text);
  if (existing.layout < PARTITIONS_VERSION) return existing;
  const layout = existing.layout - PARTITIONS_VERSION;
  return { ...existing, layout, ...(kept !== undefined && { kept: Number(kept) }) };
}

async function saveDefinition(index: ChainIndex, definition: IndexDefinition): Promise<void> {
  const isOffset = index.partitions !== undefined || (await index.store.firstKeptBlock()) !== undefined;
  const saved = { ...savedDefinition(definition, isOffset), at: await index.now() };
  await index.writer.saveProperty(DEFINITION_FACT, JSON.stringify(saved));
}

/** `isOffset` is whether the index has partitions or removed events, which older versions cannot write. */
function savedDefinition(definition: IndexDefinition, isOffset: boolean): IndexDefinition {
  if (!isOffset) return definition;
  const layout = definition.layout + PARTITIONS_VERSION;
  return { ...definition, layout, revision: versionOf(definition) };
}

function versionOf({ layout, revision = layout }: IndexDefinition): number {
  return revision;
}

/** Whether an index can be used, as it is or after an upgrade. */
function isUsableInSql(
  { layout, scope, startBlock, traces, wrapped, kept }: IndexDefinition,
  definition: IndexDefinition,
): boolean {
  const isKnownVersion = layout <= SCHEMA_VERSION && layout >= UPGRADABLE_VERSION;
  if (definition.traces && !traces) return false;
  // Logs that have been removed cannot be decoded again.
  if (kept !== undefined && wrapped !== definition.wrapped) return false;
  return isKnownVersion && scope === definition.scope && startBlock <= definition.startBlock;
}

/** The same for any index: one with its events in another database is not upgraded. */
function isUsable(existing: IndexDefinition, definition: IndexDefinition): boolean {
  const { layout, scope, startBlock, wrapped, traces, events } = existing;
  if (events !== definition.events) return false;
  if (!events) return isUsableInSql(existing, definition);
  if (definition.traces && !traces) return false;
  const isSame = layout === definition.layout && wrapped === definition.wrapped;
  return isSame && scope === definition.scope && startBlock <= definition.startBlock;
}

/**
 * Returns the reason if the index belongs to other processes: to a newer version, or to ones with other settings that
 * rebuilt it after this process started. Such an index is not rebuilt, so that processes with different settings do
 * not replace it in turns.
 */
async function findConflict(index: ChainIndex, definition: IndexDefinition): Promise<string | undefined> {
  const existing = await readDefinition(index);
  if (existing?.events || definition.events) return findEventsConflict(index, existing, definition);
  if (!existing || isUsable(existing, definition)) return undefined;
  if (existing.layout > SCHEMA_VERSION)
    return "the index belongs to a newer version; this process does not write it";
  if ((existing.at ?? 0) <= index.openedAt) return undefined;
  return "the index was rebuilt by a process with other settings; this process does not write it";
}

/** See findConflict(), for an index whose events are or will be in another database. */
function findEventsConflict(
  { openedAt }: ChainIndex,
  existing: IndexDefinition | undefined,
  definition: IndexDefinition,
): string | undefined {
  if (!existing || isUsable(existing, definition)) return undefined;
  const isNewer = existing.events === definition.events && existing.layout > definition.layout;
  return isNewer || (existing.at ?? 0) > openedAt
    ? "the index belongs to processes of a newer version or with other settings; this process does not write it"
    : undefined;
}

/**
 * Rebuilds an index with another scope, a later start or without the required traces. Upgrades an index whose logs were decoded differently,
 * unless another process has done so since this one started.
 */
async function prepareIndex(
  index: ChainIndex,
  definition: IndexDefinition,
  upgrade: (existing: IndexDefinition) => Promise<void>,
  name: string,
  log: Logger,
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
    log.info("the index is rebuilt because its settings have changed", { chain: name });
    await writer.clear();
  }
  await saveDefinition(index, definition);
}
