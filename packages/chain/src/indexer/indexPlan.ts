import type { ChainConfig } from "../model/chainConfig.ts";
import type { EventDefinition } from "../store/eventStorage.ts";
import type { ChainIndex } from "../store/openIndex.ts";
import { EVENTS_VERSION, SCHEMA_VERSION, UPGRADABLE_VERSION } from "../store/schema.ts";
import {
  type DefinedIndex,
  definitionOf,
  findConflict,
  type IndexDefinition,
  isUsable,
  readDefinition,
} from "./indexDefinition.ts";

/** What is read of an index to plan. */
export interface PlannedIndex extends DefinedIndex {
  partitions: Pick<NonNullable<ChainIndex["partitions"]>, "blocks"> | undefined;
}

/** What a process does with an index that it has opened. */
export interface IndexPlan {
  /** The settings with which the index is continued. */
  config: ChainConfig;
  /** Whether this process may continue it. */
  canLead: boolean;
  /** The index that is built beside it; undefined if it stays. */
  next: { partitionBlocks: number | undefined; reason: string } | undefined;
  /** Whether it lacks what the settings of the chain demand. */
  isIncomplete: boolean;
  /** What to warn of. */
  warning?: string;
}

/** The settings of an index that are not those of its chain. */
export interface WantedIndex {
  /** Blocks of a partition; undefined for those that the index has. */
  partitionBlocks: number | undefined;
  eventDefinition: EventDefinition | undefined;
}

/**
 * Decides whether another index has to be built beside one in PostgreSQL, and how that one is continued meanwhile: with
 * the settings with which it was built, if this version can.
 */
export async function planIndex(
  index: PlannedIndex,
  config: ChainConfig,
  { partitionBlocks, eventDefinition }: WantedIndex,
): Promise<IndexPlan> {
  const definition = definitionOf(config, { ...index, eventDefinition });
  const existing = await readDefinition(index);
  const stays = { config, canLead: true, next: undefined, isIncomplete: false };
  // Only events in the SQL database have partitions.
  const blocks = eventDefinition ? undefined : index.partitions?.blocks;
  const wantedBlocks = eventDefinition ? undefined : partitionBlocks;
  const hasOtherBlocks = wantedBlocks !== undefined && wantedBlocks !== blocks;
  const next = { partitionBlocks: wantedBlocks ?? blocks, reason: "its settings have changed" };
  const ofPartitions = { ...next, reason: "it has other partitions than the setting says" };
  // Nothing is lost if nothing was indexed.
  if (!existing) return hasOtherBlocks ? { ...stays, canLead: false, next: ofPartitions } : stays;
  if ((await findConflict(index, definition)) !== undefined) return stays;
  if (!isUsable(existing, definition)) {
    const isIncomplete = !isUsable(existing, definitionOf(config, index));
    return { config: settingsOf(existing, config), canLead: isKnownLayout(existing), next, isIncomplete };
  }
  if (!hasOtherBlocks) return stays;
  if ((existing.at ?? 0) <= index.openedAt) return { ...stays, next: ofPartitions };
  return { ...stays, warning: "the index was built by a process with other partitions, and keeps them" };
}

/** Whether this version can continue an index. One with its events in ClickHouse is not upgraded. */
function isKnownLayout({ layout, events }: IndexDefinition): boolean {
  if (events !== undefined) return layout === EVENTS_VERSION;
  return layout >= UPGRADABLE_VERSION && layout <= SCHEMA_VERSION;
}

/** The settings with which an index was built. */
function settingsOf(
  { scope, startBlock, wrapped, traces }: IndexDefinition,
  config: ChainConfig,
): ChainConfig {
  const { traces: _, market, ...others } = config;
  return {
    ...others,
    scope: scope === "wallets" ? "wallets" : "chain",
    startBlock,
    ...(traces && { traces }),
    market: { ...market, ...(wrapped !== undefined && { wrappedNative: wrapped ?? undefined }) },
  };
}
