import { performance } from "node:perf_hooks";
import type { Logger } from "../model/logger.ts";
import type { BlockRow } from "../model/rows.ts";
import { IndexDatabaseError } from "../store/indexErrors.ts";
import type { PostgresPartitions } from "../store/postgresPartitions.ts";
import type { PostgresRanges } from "../store/postgresRanges.ts";
import type { BackfillRange } from "../store/rangeLeases.ts";
import type { RangeFiller } from "./rangeFiller.ts";

export interface BackfillOptions {
  ranges: PostgresRanges;
  partitions: PostgresPartitions;
  /** undefined if this process only observes the index. */
  filler: RangeFiller | undefined;
  chainName: string;
  log: Logger;
}

/** What the leader does next. */
export type BackfillStep =
  /** It indexes the blocks up to `to`. */
  | { kind: "index"; to: number }
  /** A range was added to the index. */
  | { kind: "attached"; last: BlockRow }
  /** The next blocks are being indexed in advance. */
  | { kind: "waiting" };

/** What is indexed in advance. */
export interface BackfillProgress {
  /** Ranges that are complete or being indexed. */
  ranges: number;
  /** Their blocks that are indexed. */
  blocks: number;
}

/** How far the ranges may be ahead of the index, in partitions. */
const MAX_AHEAD = 16;
/** Attempts to add a range to the index, before its blocks are indexed without it. */
const MAX_ATTEMPTS = 3;
const UPDATE_MS = 2_000;
/** How often the leader looks for ranges near the head, in ms: a process may have begun one at the last moment. */
const POLL_MS = 60_000;
const UNLIMITED: BackfillStep = { kind: "index", to: Number.POSITIVE_INFINITY };

/**
 * Lets several processes fill an index with partitions. The leader indexes the partition of the next block, and the one
 * after it. Other processes index later ones in advance, as ranges, if all of their blocks are final: the leader adds a
 * range to the index when it reaches it.
 */
export class Backfill {
  readonly #options: BackfillOptions;
  #ranges: readonly BackfillRange[] | undefined;
  /** Whether other processes may index ranges. */
  #isShared = false;
  #updateAt = 0;
  /** Failed attempts to add the next range to the index. */
  #failedAttempts = 0;
  /** Whether blocks of ranges that no longer exist may be left. */
  #hasOrphans = true;

  constructor(options: BackfillOptions) {
    this.#options = options;
  }

  /** undefined if nothing is indexed in advance. */
  get progress(): BackfillProgress | undefined {
    const { blocks } = this.#options.partitions;
    const ranges = this.#ranges ?? [];
    if (ranges.length === 0) return undefined;
    const indexed = ranges.reduce((sum, { number, nextBlock }) => sum + nextBlock - number * blocks, 0);
    return { ranges: ranges.length, blocks: indexed };
  }

  /** For a process that is not the leader: indexes a range in the background. `next` is the next block of the index. */
  async help(next: number, finalized: number | null): Promise<void> {
    const number = this.#options.partitions.numberOf(next);
    if (!this.#isFarBehind(number, finalized)) {
      this.#ranges = undefined;
      return;
    }
    await this.#refresh();
    this.#fill(number + 2, finalized);
  }

  /** For the leader: adds the next range to the index, or determines which blocks to index. */
  async step(parent: BlockRow | undefined, next: number, finalized: number | null): Promise<BackfillStep> {
    const { partitions, filler, chainName, log } = this.#options;
    const number = partitions.numberOf(next);
    const isFarBehind = this.#isFarBehind(number, finalized);
    const isUpToDate = this.#ranges?.length === 0 && performance.now() < this.#updateAt + POLL_MS;
    this.#isShared = isFarBehind || !isUpToDate;
    if (!this.#isShared) return UNLIMITED;
    const usable = await this.#removeObsolete(next);
    partitions.reserve(new Set(usable.map((range) => range.number)));
    if (!isFarBehind && usable.length === 0) return UNLIMITED;
    const end: BackfillStep = { kind: "index", to: (number + 1) * partitions.blocks - 1 };
    const range = usable.find((each) => each.number === number);
    if (!range) return end;
    if (range.isReady) {
      const last = await this.#attach(range, parent);
      if (last) {
        log.info("added a range to the index", { chain: chainName, from: next, to: last.number });
        this.#ranges = usable.filter((each) => each !== range);
        return { kind: "attached", last };
      }
    } else if (range.isLeased || (await filler?.canContinue())) {
      this.#fill(number + 1, finalized);
      return { kind: "waiting" };
    }
    await this.#discard(range);
    return end;
  }

  /** Reads the progress of all processes while the leader indexes blocks, once in a while. */
  async update(): Promise<void> {
    if (this.#isShared && performance.now() > this.#updateAt) await this.#refresh();
  }

  async #refresh(): Promise<void> {
    this.#ranges = await this.#options.ranges.leases.list();
    this.#updateAt = performance.now() + UPDATE_MS;
  }

  /** Forgets what another leader may have changed. */
  reset(): void {
    this.#ranges = undefined;
    this.#failedAttempts = 0;
    this.#hasOrphans = true;
  }

  async stop(): Promise<void> {
    await this.#options.filler?.stop();
  }

  /** Whether a partition is missing that another process can index. */
  #isFarBehind(number: number, finalized: number | null): boolean {
    return this.#lastFinal(finalized) >= number + 2;
  }

  /** The last partition whose blocks are all final. */
  #lastFinal(finalized: number | null): number {
    return finalized === null ? -1 : this.#options.partitions.numberOf(finalized + 1) - 1;
  }

  #fill(first: number, finalized: number | null): void {
    const last = Math.min(this.#lastFinal(finalized), first + MAX_AHEAD);
    this.#options.filler?.start({ first, last });
  }

  /** Removes ranges whose blocks are in the index, or that were indexed in another way. Returns the others. */
  async #removeObsolete(next: number): Promise<BackfillRange[]> {
    const { ranges, partitions } = this.#options;
    await this.#refresh();
    const all = this.#ranges ?? [];
    const isUsable = ({ number, isCurrent }: BackfillRange) =>
      isCurrent && number * partitions.blocks >= next;
    const usable = all.filter(isUsable);
    if (usable.length < all.length || this.#hasOrphans)
      this.#hasOrphans = !(await ranges.remove(all.filter((range) => !isUsable(range))));
    this.#ranges = usable;
    return usable;
  }

  /** Adds a range to the index; undefined if that is not possible. */
  async #attach(range: BackfillRange, parent: BlockRow | undefined): Promise<BlockRow | undefined> {
    const { ranges, partitions, chainName, log } = this.#options;
    let last: BlockRow | undefined;
    try {
      last = await partitions.add(() => ranges.attach(range, parent));
    } catch (error) {
      if (!(error instanceof IndexDatabaseError)) this.#failedAttempts += 1;
      if (this.#failedAttempts < MAX_ATTEMPTS) throw error;
      log.warn("a range could not be added to the index", { chain: chainName, error: String(error) });
    }
    this.#failedAttempts = 0;
    return last;
  }

  async #discard(range: BackfillRange): Promise<void> {
    const { ranges, partitions, chainName, log } = this.#options;
    log.warn("blocks that were indexed in advance are indexed again", {
      chain: chainName,
      from: range.number * partitions.blocks,
    });
    this.#hasOrphans = !(await ranges.remove([range]));
    await this.#refresh();
  }
}
