import { type ChainContext, chainUnavailable } from "./chainContext.ts";

/** The first block whose events are kept; undefined if none have been removed. */
export async function firstKeptBlock(chain: ChainContext): Promise<number | undefined> {
  if (chain.config.keepBlocks === undefined && chain.status().keptFrom === undefined) return undefined;
  return chain.store.firstKeptBlock();
}

/** For readers that continue where they were. Rejects with Error if events from a block on have been removed. */
export async function assertEventsKept(chain: ChainContext, from: number): Promise<void> {
  const first = await firstKeptBlock(chain);
  if (first !== undefined && from < first)
    throw new Error(
      `the events of chain "${chain.config.name}" from block ${from} on are required, but those before block ${first} are no longer kept`,
    );
}

/** A field of responses that lack the events of the blocks before; read it after the events. */
export async function keptFields(chain: ChainContext): Promise<{ kept_from_block?: string }> {
  const first = await firstKeptBlock(chain);
  return first === undefined ? {} : { kept_from_block: String(first) };
}

/**
 * For responses that would be wrong without the events of all blocks from one on. Throws ProtocolError with HTTP 503.
 */
export async function requireKeptEvents(chain: ChainContext, from: number, subject: string): Promise<void> {
  const first = await firstKeptBlock(chain);
  if (first === undefined || from >= first) return;
  throw chainUnavailable(
    chain,
    `${subject} require the events from block ${from} on, but those before block ${first} are no longer kept on this server`,
  );
}
