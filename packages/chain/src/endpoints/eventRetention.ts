import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { ChainStore } from "../store/chainStore.ts";
import { chainUnavailable } from "./chainContext.ts";

/** A chain whose old events may have been removed. */
interface RetainedChain {
  config: Pick<ChainConfig, "name" | "keepBlocks" | "keepDays">;
  store: Pick<ChainStore, "firstKeptBlock">;
  status(): Pick<ChainStatus, "state" | "indexed" | "keptFrom">;
}

/** Events that a reader needs to continue where it was have been removed. */
export class EventsRemovedError extends Error {
  override readonly name = "EventsRemovedError";
}

/** The first block whose events are kept; undefined if none have been removed. */
export async function firstKeptBlock(chain: RetainedChain): Promise<number | undefined> {
  const { keptFrom, indexed } = chain.status();
  const { keepBlocks, keepDays } = chain.config;
  const keepsAll = keepBlocks === undefined && keepDays === undefined;
  // Before the first status of the indexer, only the index knows.
  const isNever = keepsAll && keptFrom === undefined && indexed !== null;
  return isNever ? undefined : chain.store.firstKeptBlock();
}

/** For readers that continue where they were. Rejects with EventsRemovedError if events from a block on are missing. */
export async function assertEventsKept(chain: RetainedChain, from: number): Promise<void> {
  const first = await firstKeptBlock(chain);
  if (first !== undefined && from < first)
    throw new EventsRemovedError(
      `the events of chain "${chain.config.name}" from block ${from} on are required, but those before block ${first} are no longer kept`,
    );
}

/**
 * Fields of responses that lack the events of earlier blocks, because they have been removed, or of later ones, because the
 * index is not at the head of the chain; read them after the events.
 */
export async function keptFields(
  chain: RetainedChain,
): Promise<{ kept_from_block?: string; indexed_to_block?: string }> {
  const first = await firstKeptBlock(chain);
  const { state, indexed } = chain.status();
  const isBehind = state !== "following" && indexed !== null;
  return {
    ...(first !== undefined && { kept_from_block: String(first) }),
    ...(isBehind && { indexed_to_block: String(indexed) }),
  };
}

/**
 * For responses that would be wrong without the events of all blocks from one on, which `read` reads. Rejects with
 * ProtocolError with HTTP 503 if they are not kept, also if they are removed meanwhile.
 */
export async function withKeptEvents<T>(
  chain: RetainedChain,
  from: number,
  subject: string,
  read: () => Promise<T>,
): Promise<T> {
  await requireKeptEvents(chain, from, subject);
  const found = await read();
  await requireKeptEvents(chain, from, subject);
  return found;
}

async function requireKeptEvents(chain: RetainedChain, from: number, subject: string): Promise<void> {
  const first = await firstKeptBlock(chain);
  if (first === undefined || from >= first) return;
  throw chainUnavailable(
    chain,
    `${subject} require the events from block ${from} on, but those before block ${first} are no longer kept on this server`,
  );
}
