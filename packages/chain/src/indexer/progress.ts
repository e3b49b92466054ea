import type { ChainStatus } from "../model/chainStatus.ts";
import type { Logger } from "../model/logger.ts";

/** Progress of an index. */
export interface ProgressMetrics {
  /** 0 to 100, of the blocks from the start to the head; null before the head is known. */
  percent: number | null;
  /** Average of the last seconds. */
  blocksPerSecond: number;
  /** Estimated time to the head, in s; null if unknown, 0 at the head. */
  etaSeconds: number | null;
}

const LOG_EVERY_MS = 10_000;
const WINDOW_MS = 10_000;

/** Measures the speed of indexing. */
export class Progress {
  readonly #name: string;
  readonly #log: Logger;
  #counts: { at: number; blocks: number }[] = [];
  #loggedAt = 0;

  constructor(name: string, log: Logger) {
    this.#name = name;
    this.#log = log;
  }

  record(blocks: number): void {
    const now = performance.now();
    this.#counts.push({ at: now, blocks });
    while (this.#counts[0] && this.#counts[0].at < now - WINDOW_MS) this.#counts.shift();
  }

  metrics(start: number, indexed: number | null, head: number | null): ProgressMetrics {
    const first = this.#counts[0];
    const seconds = first ? Math.max(0.1, (performance.now() - first.at) / 1000) : 0;
    const blocks = this.#counts.reduce((sum, record) => sum + record.blocks, 0);
    const blocksPerSecond = seconds === 0 ? 0 : Math.round(blocks / seconds);
    if (head === null) return { percent: null, blocksPerSecond, etaSeconds: null };
    const total = Math.max(1, head - start + 1);
    const completed = indexed === null ? 0 : Math.max(0, indexed - start + 1);
    const remaining = Math.max(0, total - completed);
    const percent = Math.min(100, Math.floor((completed / total) * 1000) / 10);
    const etaSeconds =
      remaining === 0 ? 0 : blocksPerSecond === 0 ? null : Math.ceil(remaining / blocksPerSecond);
    return { percent, blocksPerSecond, etaSeconds };
  }

  /** At most once per ten seconds. */
  log({ indexed, head, percent, blocksPerSecond, etaSeconds }: ChainStatus): void {
    const now = performance.now();
    if (this.#loggedAt === 0) this.#loggedAt = now;
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    this.#log.info("indexing", {
      chain: this.#name,
      block: indexed,
      of: head,
      percent,
      blocksPerSecond,
      ...(etaSeconds !== null && { secondsLeft: etaSeconds }),
    });
  }
}
