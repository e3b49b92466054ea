import { isDeepStrictEqual } from "node:util";
import type { ChainConfig } from "../model/chainConfig.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import type { ChainIndex } from "../store/openIndex.ts";
import { PARTITIONS_VERSION, SCHEMA_VERSION, UPGRADABLE_VERSION, WRITABLE_VERSION } from "../store/schema.ts";
import { DEFINITION_FACT, KEPT_FACT } from "../store/upgradeProgress.ts";

/** How an index is or was built. */
export interface IndexDefinition {
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

/** What is read of an index to decide how to use it. */
export interface DefinedIndex extends Pick<ChainIndex, "eventDefinition" | "isShared" | "openedAt"> {
  store: Pick<ChainIndex["store"], "properties">;
}

/** The definition with which this version builds the index of a chain. */
export function definitionOf(config: ChainConfig, index: DefinedIndex): IndexDefinition {
  return {
    ...(index.isShared ? { layout: WRITABLE_VERSION, revision: SCHEMA_VERSION } : { layout: SCHEMA_VERSION }),
    scope: config.scope ?? "chain",
    startBlock: config.startBlock ?? 0,
    wrapped: marketOf(config).wrappedNative ?? null,
    ...(config.traces && { traces: true }),
    ...index.eventDefinition,
  };
}

export async function readDefinition({
  store,
}: Pick<DefinedIndex, "store">): Promise<IndexDefinition | undefined> {
  const properties = await store.properties();
  const [text, kept] = [properties.get(DEFINITION_FACT), properties.get(KEPT_FACT)];
  if (text === undefined) return undefined;
  const existing: IndexDefinition = JSON.parse(text);
  if (existing.layout < PARTITIONS_VERSION) return existing;
  const layout = existing.layout - PARTITIONS_VERSION;
  return { ...existing, layout, ...(kept !== undefined && { kept: Number(kept) }) };
}

export async function saveDefinition(index: ChainIndex, definition: IndexDefinition): Promise<void> {
  await index.writer.saveProperty(DEFINITION_FACT, await savedText(index, definition));
}

/** The definition as it is saved in an index that is complete now. */
export async function savedText(index: ChainIndex, definition: IndexDefinition): Promise<string> {
  const isOffset = index.partitions !== undefined || (await index.store.firstKeptBlock()) !== undefined;
  return JSON.stringify({ ...savedDefinition(definition, isOffset), at: await index.now() });
}

/** Whether an index is built in the same way, whenever that was. */
export function isSameDefinition(existing: IndexDefinition, definition: IndexDefinition): boolean {
  const { at: _at, kept: _kept, ...built } = existing;
  const { layout, revision = layout, ...others } = built;
  return isDeepStrictEqual(
    { layout, revision, ...others },
    { ...definition, revision: versionOf(definition) },
  );
}

/** Whether a process that continues an index as it was built can also continue the other one. */
export function isContinuedAlike(one: IndexDefinition, other: IndexDefinition): boolean {
  const { scope, traces = false, wrapped = null, events } = other;
  if (one.events !== events) return false;
  return one.scope === scope && (one.traces ?? false) === traces && (one.wrapped ?? null) === wrapped;
}

/** `isOffset` is whether the index has partitions or removed events, which older versions cannot write. */
function savedDefinition(definition: IndexDefinition, isOffset: boolean): IndexDefinition {
  if (!isOffset) return definition;
  const layout = definition.layout + PARTITIONS_VERSION;
  return { ...definition, layout, revision: versionOf(definition) };
}

export function versionOf({ layout, revision = layout }: IndexDefinition): number {
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
export function isUsable(existing: IndexDefinition, definition: IndexDefinition): boolean {
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
export async function findConflict(
  index: DefinedIndex,
  definition: IndexDefinition,
): Promise<string | undefined> {
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
  { openedAt }: DefinedIndex,
  existing: IndexDefinition | undefined,
  definition: IndexDefinition,
): string | undefined {
  if (!existing || isUsable(existing, definition)) return undefined;
  const isNewer = existing.events === definition.events && existing.layout > definition.layout;
  return isNewer || (existing.at ?? 0) > openedAt
    ? "the index belongs to processes of a newer version or with other settings; this process does not write it"
    : undefined;
}
