import { performance } from "node:perf_hooks";
import type { ChainStatus, IndexRebuildStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";
import { unusedTableNames } from "../store/clickhouse/unusedTables.ts";
import { eventDefinitionIn, wantedEventStorage } from "../store/eventStorage.ts";
import type { IndexLocation } from "../store/indexLocation.ts";
import type { IndexSwitch } from "../store/indexSwitch.ts";
import { nextLocation } from "../store/indexSwitch.ts";
import { type ChainIndex, openIndex } from "../store/openIndex.ts";
import { MAX_AGE_MS } from "../store/switchingEvents.ts";
import {
  definitionOf,
  isContinuedAlike,
  isSameDefinition,
  readDefinition,
  savedText,
} from "./indexDefinition.ts";
import { createIndexerNode } from "./indexerNode.ts";
import {
  type BesideSteps,
  type RunningIndexer,
  type StartIndexingOptions,
  startIndexing,
} from "./startIndexing.ts";

/** A chain whose index is in PostgreSQL. */
export interface PostgresChainOptions extends Omit<StartIndexingOptions, "node" | "index" | "beside"> {
  location: Extract<IndexLocation, { kind: "postgres" }>;
  /** Whether this process may become the one that indexes the chain. */
  canIndex: boolean;
}

export interface IndexRebuildOptions {
  /** The settings of the chain, and the location of the index that is read. */
  chain: PostgresChainOptions;
  /** The index that is read. */
  current: Pick<ChainIndex, "schemaId" | "partitions" | "store">;
  /** Blocks of a partition of the new index. */
  partitionBlocks: number | undefined;
  indexSwitch: IndexSwitch;
  onStatus(status: IndexRebuildStatus): void;
  onSwitched(): void;
}

/** How often to wait for both indexes to have the same latest block. */
const MAX_ATTEMPTS = 100;

/**
 * An index that is built beside the one that is read, by an indexer of its own: it has its own lease, and it
 * continues at its last block after an interruption. At the head of the chain, it takes the place of the other one.
 */
export class IndexRebuild {
  /** The id of the schema in which it is built; see `readSchemaId()`. */
  readonly schemaId: number | undefined;
  readonly #indexer: RunningIndexer;

  private constructor(indexer: RunningIndexer, schemaId: number | undefined) {
    this.#indexer = indexer;
    this.schemaId = schemaId;
  }

  /** Begins or continues to build the index; undefined if that is not possible now. */
  static async start(options: IndexRebuildOptions): Promise<IndexRebuild | undefined> {
    const { chain, partitionBlocks, indexSwitch } = options;
    const log = quietAfterSwitch(options);
    const index = await openIndex(nextLocation(chain.location, partitionBlocks), log);
    try {
      if (await isUsable(index, options)) {
        const indexer = await startIndexing(optionsOf(index, options, log));
        return new IndexRebuild(indexer, index.schemaId);
      }
    } catch (error) {
      await index.close();
      throw error;
    }
    await index.close();
    const isRemoved = await indexSwitch.removeNext();
    chain.log.warn(
      isRemoved
        ? "an unfinished index with other settings was removed"
        : "an index with other settings is being built by another process",
      { chain: chain.config.name },
    );
    return undefined;
  }

  async stop(): Promise<void> {
    await this.#indexer.stop();
  }
}

/** Whether an unfinished index is the one to build, and no other has taken the place of the one that is read. */
async function isUsable(
  index: ChainIndex,
  { chain, current, partitionBlocks, indexSwitch }: IndexRebuildOptions,
): Promise<boolean> {
  const schemas = await indexSwitch.schemas();
  const isStillNeeded = schemas.current === current.schemaId && schemas.next === index.schemaId;
  const existing = await readDefinition(index);
  const eventDefinition = eventDefinitionIn(wantedEventStorage(chain.location));
  const definition = definitionOf(chain.config, { ...index, eventDefinition });
  const isSame = existing === undefined || isSameDefinition(existing, definition);
  return isStillNeeded && isSame && index.partitions?.blocks === partitionBlocks;
}

function optionsOf(
  index: ChainIndex,
  { chain, current, indexSwitch, onStatus, onSwitched }: IndexRebuildOptions,
  log: Logger,
): StartIndexingOptions {
  const { config, pollMs, retryMs, fetchContent } = chain;
  return {
    ...{ pollMs, retryMs, fetchContent, log, index },
    config: { ...config, name: `${config.name} (new index)` },
    node: createIndexerNode(config, chain.pollMs),
    onStatus: (status) => onStatus(progressOf(status)),
    beside: besideSteps(index, { chain, current, indexSwitch, onSwitched }),
  };
}

function besideSteps(
  index: ChainIndex,
  { chain, current, indexSwitch, onSwitched }: Omit<IndexRebuildOptions, "partitionBlocks" | "onStatus">,
): BesideSteps {
  const { config, log } = chain;
  const { assertLeader } = index;
  const hasWallets = config.scope === "wallets";
  const startedAt = performance.now();
  let attempts = 0;
  let isPrepared = false;
  return {
    async prepare() {
      if (isPrepared) return true;
      if (attempts === 0) await indexSwitch.carryEarlier(assertLeader);
      attempts += 1;
      // What was read of tokens is read again if the other index does not get to the same block.
      isPrepared = (await indexSwitch.carryOver(assertLeader)) || attempts >= MAX_ATTEMPTS;
      return isPrepared;
    },
    async complete() {
      if (hasWallets && (await indexSwitch.copyWallets(assertLeader)) > 0) return true;
      const definition = definitionOf(config, index);
      const former = await readDefinition(current);
      // Processes without the URL of ClickHouse verify each read once they know of this index.
      const isKnown = performance.now() - startedAt > 2 * MAX_AGE_MS;
      if (!isKnown && former?.events !== definition.events) return false;
      const isAlike = former === undefined || isContinuedAlike(former, definition);
      const outcome = await indexSwitch.switchOver(assertLeader, {
        definition: await savedText(index, definition),
        hasWallets,
        refusesOlder: !isAlike || index.partitions?.blocks !== current.partitions?.blocks,
      });
      if (outcome !== "switched") return false;
      log.info("the new index has taken the place of the old one", { chain: config.name });
      onSwitched();
      if (definition.events === undefined) await warnOfTables(current, chain);
      return false;
    },
  };
}

/** Without events in ClickHouse, nothing drops the tables there. */
async function warnOfTables(
  { store }: Pick<ChainIndex, "store">,
  { config, log }: Pick<PostgresChainOptions, "config" | "log">,
): Promise<void> {
  const tables = unusedTableNames(await store.properties());
  if (tables.length === 0) return;
  log.warn("tables in ClickHouse are not used any more: drop them", { chain: config.name, tables });
}

function progressOf(status: ChainStatus): IndexRebuildStatus {
  const { start, head, indexed, percent, blocksPerSecond, etaSeconds, error } = status;
  const blocks = Math.max(0, (indexed ?? start - 1) + 1 - start);
  return {
    ...{ indexed, blocks, missing: head === null ? null : Math.max(0, head + 1 - start - blocks) },
    ...{ percent, blocksPerSecond, etaSeconds, ...(error !== undefined && { error }) },
  };
}

/** Drops warnings that an index is missing which has taken the place of the other one. */
function quietAfterSwitch({ chain, current, indexSwitch }: IndexRebuildOptions): Logger {
  const { log } = chain;
  return {
    ...log,
    warn(message, fields) {
      indexSwitch.schemas().then(
        (schemas) => {
          if (schemas.current === current.schemaId) log.warn(message, fields);
        },
        () => log.warn(message, fields),
      );
    },
  };
}
