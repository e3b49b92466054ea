import { expect } from "vitest";
import { Backfill, type BackfillStep } from "../src/indexer/backfill.ts";
import { RangeFiller } from "../src/indexer/rangeFiller.ts";
import type { IndexScope } from "../src/indexer/scope.ts";
import type { BlockRow } from "../src/model/rows.ts";
import type { ChainIndex } from "../src/store/openIndex.ts";
import { DEFINITION } from "./rangeIndexes.ts";
import { createRecordingLogger } from "./testService.ts";

/*
 * What the leader of an index with ranges does, without a node.
 */

export interface TestBackfillOptions {
  fetch: IndexScope["fetch"];
  /** Blocks that are fetched at once. */
  blockRange?: number;
  /** Whether the process has the settings with which the index was built. */
  isSame?: boolean;
}

/** The back-fill of a process; `ends` stop it. */
export function createTestBackfill(
  { ranges, partitions }: ChainIndex,
  { fetch, blockRange = 4, isSame = true }: TestBackfillOptions,
  ends: (() => Promise<unknown>)[],
): Backfill {
  if (!ranges || !partitions) throw new Error("the index has no partitions");
  const options = { ranges, partitions, chainName: "test", log: createRecordingLogger() };
  const definition = async () => (isSame ? DEFINITION : undefined);
  const filler = new RangeFiller({ ...options, scope: { blockRange, fetch }, definition, retryMs: 0 });
  const backfill = new Backfill({ ...options, filler });
  ends.push(() => backfill.stop());
  return backfill;
}

/** Steps until the next one is not to wait. Returns it with the kinds of all steps. */
export async function stepOn(
  backfill: Backfill,
  parent: BlockRow | undefined,
  finalized: number,
): Promise<{ last: BackfillStep; steps: string[] }> {
  const taken: BackfillStep[] = [];
  const step = async () => {
    const next = await backfill.step(parent, (parent?.number ?? -1) + 1, finalized);
    taken.push(next);
    return next.kind;
  };
  await expect.poll(step, { timeout: 60_000, interval: 20 }).not.toBe("waiting");
  const last = taken.at(-1);
  if (!last) throw new Error("no step was taken");
  return { last, steps: taken.map(({ kind }) => kind) };
}
