import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ChainService, ChainServiceConfig } from "./chainService.ts";
import { createChainSelector } from "./chains.ts";
import { createChainContext, haveHistory, historyPercent } from "./createChainContext.ts";
import { approvalHandlers } from "./endpoints/approvals.ts";
import { blockStatsHandlers } from "./endpoints/blockStats.ts";
import { candleHandlers } from "./endpoints/candles.ts";
import type { ChainContext } from "./endpoints/chainContext.ts";
import { contractSourceHandlers } from "./endpoints/contractSource.ts";
import { contractHandlers } from "./endpoints/contracts.ts";
import { defiHandlers } from "./endpoints/defi.ts";
import { erc20Handlers } from "./endpoints/erc20.ts";
import { erc20ActivityHandlers } from "./endpoints/erc20Activity.ts";
import { infoHandlers } from "./endpoints/info.ts";
import { internalTransactionHandlers } from "./endpoints/internalTransactions.ts";
import { logHandlers } from "./endpoints/logs.ts";
import { nameHandlers } from "./endpoints/names.ts";
import { nftCollectionHandlers } from "./endpoints/nftCollections.ts";
import { createMetadataReader, nftMetadataHandlers } from "./endpoints/nftMetadata.ts";
import { nftHandlers } from "./endpoints/nfts.ts";
import { pendingTransactionHandlers } from "./endpoints/pendingTransactions.ts";
import { createRoutes, withIndexErrors } from "./endpoints/routes.ts";
import { storageHandlers } from "./endpoints/storage.ts";
import { tokenHolderHandlers } from "./endpoints/tokenHolders.ts";
import { tradeHandlers } from "./endpoints/trades.ts";
import { transactionHandlers } from "./endpoints/transactions.ts";
import { userOperationHandlers } from "./endpoints/userOperations.ts";
import { walletHistoryHandlers } from "./endpoints/walletHistory.ts";
import { walletStatsHandlers } from "./endpoints/walletStats.ts";
import { walletTokenHandlers } from "./endpoints/walletTokens.ts";
import { createBlockReader } from "./events/blockReader.ts";
import { createEventReader } from "./events/chainEvents.ts";
import { IndexerWorker } from "./indexer/indexerWorker.ts";
import type { LocatedChain } from "./indexer/workerMessages.ts";
import type { ChainConfig } from "./model/chainConfig.ts";
import type { ChainStatus } from "./model/chainStatus.ts";
import { toWord } from "./model/hexBytes.ts";
import { createGatewayClient } from "./names/gatewayClient.ts";
import { ContentUnavailableError } from "./nft/fetchContent.ts";
import { ChainStore } from "./store/chainStore.ts";
import { openEvents } from "./store/clickhouse/openEvents.ts";
import { HolderCounter } from "./store/holderCounter.ts";
import type { IndexLocation } from "./store/indexLocation.ts";
import { READ_LIMITS } from "./store/indexReader.ts";
import { createBoundedPostgresReader } from "./store/postgresReader.ts";
import { SqliteReaderPool } from "./store/sqliteReaderPool.ts";
import { SwitchingEvents } from "./store/switchingEvents.ts";

const DEFAULT_POLL_MS = 1_000;
const DEFAULT_RETRY_MS = 60_000;
const DEFAULT_FIRST_SYNC_MS = 2_000;
/** For calls of untrusted contracts. */
const UNTRUSTED = { timeoutMs: 10_000, maxBytes: 64 * 1024 };
/** Connections to ClickHouse for the requests of a chain. */
const CLICKHOUSE_CONNECTIONS = 10;
/** Max indexing lag at which balances are reported, in blocks. */
const MAX_LAG = 20;

/** Creates the data API for EVM chains: the indexers, and endpoints that query the indexes and nodes. */
export function createChainService({
  chains,
  database,
  log,
  canIndex = true,
  uploadFolder,
  fetchContent = async () => {
    throw new ContentUnavailableError("this server does not fetch metadata");
  },
  nameGateways = [],
  pollMs = DEFAULT_POLL_MS,
  retryMs = DEFAULT_RETRY_MS,
  firstSyncMs = DEFAULT_FIRST_SYNC_MS,
  onIndexed,
  restart,
  indexerModule,
  readLimits,
  cursorKey = randomBytes(32),
}: ChainServiceConfig): ChainService {
  const indexer = new IndexerWorker({ log, fetchContent, onIndexed, restart, module: indexerModule });
  const sqliteReaders = new SqliteReaderPool(log, readLimits);
  const holderCounter = new HolderCounter(log);
  const stores = new Map<number, ChainStore>();
  let firstSyncDeadline = 0;
  const indexes = chains.map((config): LocatedChain => {
    const { clickHouseUrl, ...location } = indexLocationOf(database, config.id, config);
    if (clickHouseUrl === undefined) return { config, location };
    // The events of known wallets are few, and are added to old blocks.
    const isUsed = config.scope !== "wallets";
    const url: Pick<IndexLocation, "clickHouseUrl" | "formerClickHouseUrl"> = isUsed
      ? { clickHouseUrl }
      : { formerClickHouseUrl: clickHouseUrl };
    return { config, location: { ...location, ...url } };
  });
  const contexts = chains.map((config) =>
    createChainContext(config, indexer, stores, log, () => firstSyncDeadline),
  );
  const selectChain = createChainSelector(contexts);
  const routes = createRoutes(
    {
      ...transactionHandlers(selectChain),
      ...logHandlers(selectChain),
      ...contractHandlers(selectChain),
      ...erc20Handlers(selectChain),
      ...erc20ActivityHandlers(selectChain),
      ...blockStatsHandlers(selectChain),
      ...tokenHolderHandlers(selectChain, holderCounter),
      ...contractSourceHandlers(selectChain),
      ...nftHandlers(selectChain),
      ...nftCollectionHandlers(selectChain),
      ...nftMetadataHandlers(selectChain),
      ...defiHandlers(selectChain),
      ...tradeHandlers(selectChain),
      ...candleHandlers(selectChain),
      ...approvalHandlers(selectChain),
      ...userOperationHandlers(selectChain),
      ...internalTransactionHandlers(selectChain),
      ...pendingTransactionHandlers(selectChain),
      ...walletHistoryHandlers(selectChain),
      ...walletTokenHandlers(selectChain, contexts),
      ...walletStatsHandlers(selectChain, contexts),
      ...infoHandlers,
      ...storageHandlers(uploadFolder),
      ...nameHandlers(contexts, createGatewayClient(nameGateways)),
    },
    cursorKey,
    (selector) => selectChain(selector).config.id,
  );
  const readNftMetadata = createMetadataReader(selectChain);

  return {
    routes,
    status: () => contexts.map((chain) => chain.status()),
    indexer: () => indexer.health(),
    onStatus: (listener) => indexer.onStatus(listener),
    watch: (chainId, addresses) => indexer.watch(chainId, addresses),
    async watchedWallets(chainId, limit) {
      const { store, status, config } = selectChain(chainId);
      const [count, wallets] = await withIndexErrors(
        Promise.all([store.watched.count(), store.watched.list(limit)]),
      );
      const { head } = status();
      return {
        count,
        results: wallets.map((each) => ({
          address: each.address,
          percent: historyPercent(each, config, head),
        })),
      };
    },
    eventReader: (chainId) => createEventReader(() => selectChain(chainId)),
    blockReader: (chainId) => createBlockReader(() => selectChain(chainId)),
    async getBalance(chainId, { token, standard, tokenId }, owners) {
      if (owners.length === 0) return 0n;
      const chain = selectChain(chainId);
      if (!isAtHead(chain.status())) return undefined;
      if (chain.config.scope === "wallets" && !(await isWalletIndexed(chain, owners, indexer)))
        return undefined;
      if (standard === "ERC20") return withIndexErrors(chain.store.erc20Balances.totalBalance(token, owners));
      const id = tokenId === undefined ? undefined : toWord(BigInt(tokenId));
      return withIndexErrors(chain.store.nftBalances.totalBalance(token, id, owners));
    },
    readNftMetadata: (params) => withIndexErrors(readNftMetadata(params)),
    resolveChainId: (selector) => selectChain(selector).config.id,
    async call(chainId, call, signal) {
      return selectChain(chainId).node.call(call, "latest", { signal, untrusted: UNTRUSTED });
    },
    async request(chainId, method, params) {
      try {
        return await selectChain(chainId).node.request(method, params);
      } catch (error) {
        throw new ProtocolError(
          ErrorCode.SCRIPT_FAILED,
          error instanceof Error ? error.message : String(error),
        );
      }
    },
    async start() {
      // The indexer creates the tables, so that readers start afterwards.
      if (chains.length === 0) return;
      const reportsRanges = onIndexed !== undefined;
      await indexer.start({ chains: indexes, canIndex, pollMs, retryMs, reportsRanges });
      firstSyncDeadline = Date.now() + firstSyncMs;
      // Not awaited: a slow server of a list must not delay the start.
      for (const { labels } of contexts) void labels.start();
      for (const { config, location } of indexes) {
        const reader =
          location.kind === "sqlite"
            ? sqliteReaders.reader(location.path)
            : createBoundedPostgresReader(location, connectionsOf(database, config), readLimits);
        const { clickHouseUrl, formerClickHouseUrl } = location;
        const canSwitch = location.kind === "postgres";
        const url = clickHouseUrl ?? (canSwitch ? formerClickHouseUrl : undefined);
        const events = await openEvents(url, reader, {
          connections: CLICKHOUSE_CONNECTIONS,
          limits: readLimits ?? READ_LIMITS,
        });
        const located = canSwitch ? new SwitchingEvents(reader, events?.reader, location) : events?.reader;
        stores.set(config.id, new ChainStore(reader, located));
      }
      for (const { aliases, name } of chains)
        if (aliases.length > 0) log.info("chain", { name, alsoKnownAs: aliases });
    },
    async stop() {
      for (const { node, labels } of contexts) {
        node.abort();
        labels.stop();
      }
      await indexer.stop();
      await Promise.all([sqliteReaders.stop(), holderCounter.stop()]);
      await Promise.all([...stores.values()].map((store) => store.close()));
    },
  };
}

/** Where the index of one chain is stored: in a database of its own, or in that of all chains. */
export function indexLocationOf(
  database: ChainServiceConfig["database"],
  chainId: number,
  { database: own, partitionBlocks }: Pick<ChainConfig, "database" | "partitionBlocks"> = {},
): IndexLocation {
  const { clickHouseUrl } = database;
  const events = clickHouseUrl === undefined ? {} : { clickHouseUrl };
  const shared = database.kind === "postgres" ? database : undefined;
  const postgres = own ?? shared;
  if (postgres) {
    const { url, directUrl } = postgres;
    const partitions = partitionBlocks ?? shared?.partitionBlocks;
    return {
      ...{ ...events, kind: "postgres", url, schema: `chain_${chainId}` },
      ...(directUrl !== undefined && { directUrl }),
      ...(partitions !== undefined && { partitionBlocks: partitions }),
    };
  }
  const { folder, removalBlocks } = database.kind === "sqlite" ? database : { folder: "" };
  return {
    ...{ kind: "sqlite", path: join(folder, `chain-${chainId}.sqlite`), ...events },
    ...(removalBlocks !== undefined && { removalBlocks }),
  };
}

/** Maximum number of PostgreSQL connections for requests to a chain. */
function connectionsOf(database: ChainServiceConfig["database"], { database: own }: ChainConfig): number {
  if (own) return own.connections;
  return database.kind === "postgres" ? database.connections : 1;
}

/** Balances stay valid while nodes are down, but not if the index lags far behind. */
function isAtHead({ state, lag }: ChainStatus): boolean {
  return state !== "refused" && state !== "stopped" && lag !== null && lag <= MAX_LAG;
}

/** Whether a wallet index contains the full history of addresses; enqueues them if not. */
async function isWalletIndexed(
  { config, store }: ChainContext,
  addresses: string[],
  indexer: IndexerWorker,
): Promise<boolean> {
  const watched = await store.watched.get(addresses);
  if (watched.length < addresses.length) indexer.watch(config.id, addresses);
  return haveHistory(watched, addresses, config);
}
