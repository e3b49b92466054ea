import type { BlockRow } from "../model/rows.ts";

/** Blocks whose times are compared. */
const WINDOW = 100;
/** Seconds between blocks, until they are known. */
const ASSUMED_SECONDS = 15;
/** A chain stands still if its latest block is older than so many blocks take, */
const BLOCKS = 20;
/** or than so many of the longest intervals between its latest blocks; */
const INTERVALS = 3;
/** but not before so many seconds. */
const MIN_SECONDS = 30;

type TimedBlock = Pick<BlockRow, "number" | "timestamp">;

/** The times of the latest blocks, by which a chain that stands still is noticed. */
export class BlockTimes {
  #blocks: TimedBlock[] = [];

  /** Whether there are times of earlier blocks than the given one. */
  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** Adds blocks in ascending order. */
  record(blocks: readonly TimedBlock[]): void {
    const latest = blocks.slice(-WINDOW).map(({ number, timestamp }) => ({ number, timestamp }));
    this.#blocks = [...this.#blocks, ...latest].slice(-WINDOW);
  }

  clear(): void {
    this.#blocks = [];
  }

  /** The age from which on the latest block is too old, in s. */
  get maxAge(): number {
    const [first] = this.#blocks;
    const last = this.#blocks.at(-1);
    if (!first || !last || last.number === first.number) return BLOCKS * ASSUMED_SECONDS;
    const average = (last.timestamp - first.timestamp) / (last.number - first.number);
    let longest = 0;
    for (const [i, { number, timestamp }] of this.#blocks.entries()) {
      const before = this.#blocks[i - 1];
      if (before) longest = Math.max(longest, (timestamp - before.timestamp) / (number - before.number));
    }
    return Math.max(MIN_SECONDS, Math.ceil(BLOCKS * average), Math.ceil(INTERVALS * longest));
  }
}
