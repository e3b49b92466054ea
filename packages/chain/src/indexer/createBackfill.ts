import { isDeepStrictEqual } from "node:util";
import type { Logger } from "../model/logger.ts";
import type { ChainIndex } from "../store/openIndex.ts";
import { DEFINITION_FACT } from "../store/upgradeProgress.ts";
import { Backfill } from "./backfill.ts";
import { RangeFiller } from "./rangeFiller.ts";
import type { IndexScope } from "./scope.ts";

/** Delay before a process begins another range after a failure, in ms. */
const RETRY_MS = 5_000;

/**
 * Several processes fill the index, if it has partitions; undefined otherwise. A process whose settings or version differ
 * from those of `definition` in the index only observes.
 */
export function createBackfill(
  { ranges, partitions, store, canLead }: ChainIndex,
  definition: object,
  options: { scope: IndexScope; log: Logger; chainName: string },
): Backfill | undefined {
  if (!ranges || !partitions) return undefined;
  async function readOwnDefinition(): Promise<string | undefined> {
    const text = (await store.properties()).get(DEFINITION_FACT);
    if (text === undefined) return undefined;
    const { at: _, ...saved }: { at?: number } = JSON.parse(text);
    return isDeepStrictEqual(saved, definition) ? text : undefined;
  }
  const filler = canLead
    ? new RangeFiller({ ...options, ranges, definition: readOwnDefinition, retryMs: RETRY_MS })
    : undefined;
  return new Backfill({ ...options, ranges, partitions, filler });
}
