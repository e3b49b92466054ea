import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ChainService, ChainServiceConfig } from "./chainService.ts";
import { createChainSelector } from "./chains.ts";
import type { FollowedChain } from "./endpoints/chainContext.ts";
import { contractRoutes } from "./endpoints/contracts.ts";
import { defiRoutes } from "./endpoints/defi.ts";
import { erc20Routes } from "./endpoints/erc20.ts";
import { absentRoutes, infoRoutes } from "./endpoints/info.ts";
import { logRoutes } from "./endpoints/logs.ts";
import { nameRoutes } from "./endpoints/names.ts";
import { metadataTextOf, nftMetadataRoutes } from "./endpoints/nftMetadata.ts";
import { nftRoutes } from "./endpoints/nfts.ts";
import { answered, inMatchOrder } from "./endpoints/routes.ts";
import { storageRoutes } from "./endpoints/storage.ts";
import { tradeRoutes } from "./endpoints/trades.ts";
import { transactionRoutes } from "./endpoints/transactions.ts";
import { feedOf } from "./events/chainEvents.ts";
import { Sync } from "./indexer/indexerWorker.ts";
import type { ChainConfig } from "./model/chainConfig.ts";
import type { ChainStatus } from "./model/chainStatus.ts";
import { ContentRefused } from "./nft/fetchContent.ts";
import { ChainNode } from "./node/chainNode.ts";
import { ChainStore } from "./store/chainStore.ts";
import type { IndexLocation } from "./store/indexLocation.ts";
import { WANTED, type Watched } from "./store/indexWriter.ts";
import { postgresReads } from "./store/postgresReader.ts";
import { SqliteReads } from "./store/sqliteReaderPool.ts";

const POLL_MS = 1_000;
const RETRY_MS = 60_000;
/** For calls of contracts that nobody vouches for: one try, and an answer that fits. */
const UNTRUSTED = { timeoutMs: 10_000, maxBytes: 64 * 1024, retries: 0 };
/** How long after the start questions wait for the first blocks. */
const FIRST_LOOK_MS = 2_000;
/** How long a question about an address waits for its history. */
const HISTORY_MS = 8_000;
/** Blocks that an index may be behind and still tell who holds what. */
const MAX_LAG = 20;

/** The data service over EVM chains: an index that follows them, and endpoints that answer from it and from nodes. */
export function createChainService({
  chains,
  database,
  log,
  uploadFolder,
  fetchContent = async () => {
    throw new ContentRefused("this server reads no metadata from elsewhere");
  },
  askGateway,
  pollMs = POLL_MS,
  retryMs = RETRY_MS,
  restart,
  indexerModule,
  readLimits,
}: ChainServiceConfig): ChainService {
  const sync = new Sync({ log, fetchContent, restart, module: indexerModule });
  const reads = new SqliteReads(log, readLimits);
  const stores = new Map<number, ChainStore>();
  let startedAt = 0;
  const places = chains.map((config) => ({ config, place: placeOf(database, config.id) }));
  const followed = chains.map((config) => followedChain(config, sync, stores, () => startedAt));
  const select = createChainSelector(followed);
  const present = [
    transactionRoutes,
    logRoutes,
    contractRoutes,
    erc20Routes,
    nftRoutes,
    nftMetadataRoutes,
    defiRoutes,
    tradeRoutes,
  ]
    .flatMap((routesOf) => routesOf(select))
    .concat(infoRoutes(), storageRoutes(uploadFolder), nameRoutes(followed, askGateway));
  const metadataText = metadataTextOf(select);
  const untrusted = new Map(chains.map(({ id, rpcUrls }) => [id, new ChainNode(id, rpcUrls, UNTRUSTED)]));

  return {
    routes: inMatchOrder([...present, ...absentRoutes(present)]),
    status: () => followed.map((chain) => chain.status()),
    indexer: () => sync.health(),
    onStatus: (listener) => sync.onStatus(listener),
    watch: (chainId, addresses) => sync.watch(chainId, addresses),
    async knownWallets(chainId, most) {
      const { store, status, config } = select(chainId);
      const [count, some] = await answered(Promise.all([store.countWatched(), store.someWatched(most)]));
      const { head } = status();
      return {
        count,
        results: some.map((each) => ({ address: each.address, percent: percentRead(each, config, head) })),
      };
    },
    feed: (chainId) => feedOf(() => select(chainId).store),
    async held(chainId, { token, standard, tokenId }, owners) {
      if (owners.length === 0) return 0n;
      const chain = select(chainId);
      if (!isAtHead(chain.status())) return undefined;
      if (chain.config.scope === "wallets" && !(await isRead(chain, owners, sync))) return undefined;
      if (standard === "ERC20") return answered(chain.store.erc20.held(token, owners));
      const id = tokenId === undefined ? undefined : `0x${BigInt(tokenId).toString(16).padStart(64, "0")}`;
      return answered(chain.store.nfts.held(token, id, owners));
    },
    metadataText: (params) => answered(metadataText(params)),
    chainIdOf: (selector) => select(selector).config.id,
    async call(chainId, call, signal) {
      const node = untrusted.get(chainId);
      if (!node) throw new Error(`chain ${chainId} is not configured`);
      return node.call(call, "latest", signal);
    },
    async start() {
      // The indexer makes the tables.
      if (chains.length > 0) await sync.start({ chains: places, pollMs, retryMs });
      startedAt = Date.now();
      for (const { config, place } of places) {
        const reader =
          place.kind === "sqlite"
            ? reads.readerOf(place.path)
            : postgresReads(place, database.kind === "postgres" ? database.connections : 1, readLimits);
        stores.set(config.id, new ChainStore(reader));
      }
      for (const { aliases, name } of chains)
        if (aliases.length > 0) log.info("chain", { name, alsoKnownAs: aliases });
    },
    async stop() {
      for (const node of untrusted.values()) node.abort();
      for (const { node } of followed) node.abort();
      await sync.stop();
      await reads.stop();
      await Promise.all([...stores.values()].map((store) => store.close()));
    },
  };
}

/** Where the index of one chain is. */
export function placeOf(database: ChainServiceConfig["database"], chainId: number): IndexLocation {
  return database.kind === "sqlite"
    ? { kind: "sqlite", path: join(database.folder, `chain-${chainId}.sqlite`) }
    : { kind: "postgres", url: database.url, schema: `chain_${chainId}` };
}

function followedChain(
  config: ChainConfig,
  sync: Sync,
  stores: Map<number, ChainStore>,
  started: () => number,
): FollowedChain {
  const node = new ChainNode(config.id, config.rpcUrls);
  const storeOf = (): ChainStore => {
    const store = stores.get(config.id);
    if (store) return store;
    throw new ProtocolError(ErrorCode.NOT_INITIALIZED, "the data service has not been started", 503);
  };
  return {
    config,
    node,
    get store() {
      return storeOf();
    },
    status: () => sync.status(config.id) ?? unseen(config),
    firstLook: () => firstLook(config, sync, started() + FIRST_LOOK_MS),
    learn: (tokens) => sync.learn(config.id, tokens),
    reread: (reread) => sync.reread(config.id, reread),
    async watch(addresses) {
      const end = Date.now() + HISTORY_MS;
      const start = config.startBlock ?? 0;
      let isAsked = false;
      for (;;) {
        // Whatever is read from now on is not missed.
        const more = nextHistory(sync, config.id, addresses, end - Date.now());
        try {
          const watched = await storeOf().watched(addresses);
          const isDone = watched.length === addresses.length && watched.every(({ next }) => next < start);
          if (isDone) return { done: true, percent: 100 };
          if (!isAsked && watched.length < addresses.length) sync.watch(config.id, addresses);
          isAsked = true;
          if (Date.now() >= end) {
            const head = sync.status(config.id)?.head ?? start;
            const percent = Math.floor(
              watched.reduce((sum, each) => sum + percentRead(each, config, head), 0) / addresses.length,
            );
            return { done: false, percent };
          }
          await more.promise;
        } finally {
          more.forget();
        }
      }
    },
  };
}

/** Resolves when more of the history of one of some addresses has been read, or after a time in ms. */
function nextHistory(sync: Sync, chainId: number, addresses: readonly string[], ms: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const forget = sync.onHistory((id, read) => {
    if (id === chainId && read.some((address) => addresses.includes(address))) resolve();
  });
  const timer = setTimeout(resolve, Math.max(0, ms));
  return {
    promise,
    forget() {
      clearTimeout(timer);
      forget();
    },
  };
}

/** How much of an address's history has been read, 0 to 100. */
function percentRead({ since, next }: Watched, { startBlock = 0 }: ChainConfig, head: number | null): number {
  if (next < startBlock) return 100;
  const newest = head ?? startBlock;
  if (since === WANTED) return 0;
  return Math.max(
    0,
    Math.min(99, Math.floor(((newest - next) / Math.max(1, newest - startBlock + 1)) * 100)),
  );
}

/** An outage of the nodes changes nothing about what is known; an index that is far behind knows of another time. */
function isAtHead({ state, lag }: ChainStatus): boolean {
  return state !== "refused" && state !== "stopped" && lag !== null && lag <= MAX_LAG;
}

/** Whether what addresses did is in an index that holds known wallets only; has it read where it is not. */
async function isRead({ config, store }: FollowedChain, addresses: string[], sync: Sync): Promise<boolean> {
  const watched = await store.watched(addresses);
  if (watched.length < addresses.length) sync.watch(config.id, addresses);
  const start = config.startBlock ?? 0;
  return watched.length === addresses.length && watched.every(({ next }) => next < start);
}

/** Resolves when the index is at the head or the node is found wanting; two seconds after the start in any case. */
async function firstLook({ id }: ChainConfig, sync: Sync, deadline: number): Promise<void> {
  const hasLooked = (status: ChainStatus | undefined): boolean =>
    status !== undefined && status.state !== "syncing";
  const left = deadline - Date.now();
  if (left <= 0 || hasLooked(sync.status(id))) return;
  const looked = Promise.withResolvers<void>();
  const forget = sync.onStatus((status) => {
    if (status.chain === id && hasLooked(status)) looked.resolve();
  });
  const waiting = new AbortController();
  const enough = sleep(left, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([looked.promise, enough]);
  waiting.abort();
  forget();
}

function unseen({ id, name, scope = "chain", startBlock = 0 }: ChainConfig): ChainStatus {
  return {
    chain: id,
    name,
    scope,
    state: "syncing",
    start: startBlock,
    head: null,
    safe: null,
    finalized: null,
    indexed: null,
    lag: null,
    percent: null,
    blocksPerSecond: 0,
    etaSeconds: null,
    nodes: [],
  };
}
