import { performance } from "node:perf_hooks";
import type { Logger } from "../../core/logger.ts";
import type { ReplicaStatus } from "../replicaStatus.ts";
import type { SqlParameter } from "../sql/dialect.ts";
import {
  DatabaseUnavailableError,
  isConnectionLost,
  isSerializationFailure,
  isUnknownRelation,
} from "./errors.ts";
import type { Row, Sql } from "./session.ts";

/** Interval for comparing the positions of the primary and of the replica, in ms. */
const COMPARE_MS = 500;
/** For how long the positions of the primary are remembered at least, in ms: longer lags are not measured. */
const REMEMBER_MS = 10 * 60_000;
const PRIMARY_POSITION = "SELECT pg_current_wal_insert_lsn()";

export interface ReplicaReadsOptions {
  /** Runs statements on the replica; the first row of each result is the position that it had reached before. */
  replica: Sql & { internal: Sql };
  /** Runs statements on the primary. */
  primary: Sql & { internal: Sql };
  /** How far a replica may be behind, in ms. */
  maxLagMs: number;
  logger: Pick<Logger, "info" | "warn">;
}

/** A position of the primary, and the time before it was read (`performance.now()`): all earlier commits are before it. */
interface Sample {
  position: bigint;
  at: number;
}

/**
 * Reads from a replica, or from the primary if the replica may be too far behind. Each result comes with the position
 * that its replica had reached, so that this holds for each of several replicas behind one URL.
 */
export class ReplicaReads implements Sql {
  readonly #options: ReplicaReadsOptions;
  /** In the order of time. */
  readonly #samples: Sample[] = [];
  /** The time of the last sample that the replica has reached. */
  #reachedAt: number | undefined;
  #isReachable = false;
  #wasUsed = true;
  readonly #reads = { replica: 0, primary: 0 };
  #timer: NodeJS.Timeout | undefined;
  readonly #running = new Set<string>();

  constructor(options: ReplicaReadsOptions) {
    this.#options = options;
  }

  /** Compares the positions once, and regularly from then on. */
  async start(): Promise<void> {
    await this.#sample();
    await this.#compare();
    this.#timer = setInterval(() => {
      void this.#once("sample", () => this.#sample());
      void this.#once("compare", () => this.#compare());
    }, COMPARE_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get status(): ReplicaStatus {
    const lagMs = this.#lagMs();
    return { lagMs, isUsed: this.#isUsable(), maxLagMs: this.#options.maxLagMs, reads: { ...this.#reads } };
  }

  async run(text: string, parameters: readonly (SqlParameter | null)[]): Promise<readonly Row[]> {
    const rows = this.#isUsable() ? await this.#read(text, parameters) : undefined;
    this.#reads[rows ? "replica" : "primary"] += 1;
    return rows ?? this.#options.primary.run(text, parameters);
  }

  /** Returns undefined if the primary has to answer. */
  async #read(
    text: string,
    parameters: readonly (SqlParameter | null)[],
  ): Promise<readonly Row[] | undefined> {
    const bound = this.#boundPosition();
    if (bound === undefined) return undefined;
    try {
      const [position, ...rows] = await this.#options.replica.run(text, parameters);
      return parsePosition(String(position?.[0])) >= bound ? rows : undefined;
    } catch (error) {
      // It lacks a new table or column yet, or had to cancel the query to follow the primary.
      if (isUnknownRelation(error) || isSerializationFailure(error)) return undefined;
      if (!(error instanceof DatabaseUnavailableError) && !isConnectionLost(error)) throw error;
      this.#isReachable = false;
      return undefined;
    }
  }

  /** The lowest position that is not further behind than allowed. */
  #boundPosition(): bigint | undefined {
    const oldest = performance.now() - this.#options.maxLagMs;
    return this.#samples.find(({ at }) => at >= oldest)?.position;
  }

  #isUsable(): boolean {
    const lagMs = this.#lagMs();
    return this.#isReachable && lagMs !== null && lagMs <= this.#options.maxLagMs;
  }

  #lagMs(): number | null {
    return this.#reachedAt === undefined ? null : Math.round(performance.now() - this.#reachedAt);
  }

  async #sample(): Promise<void> {
    const at = performance.now();
    try {
      const [row] = await this.#options.primary.internal.run(PRIMARY_POSITION, []);
      this.#samples.push({ position: parsePosition(String(row?.[0])), at });
    } catch {
      // Without new samples, the replica soon counts as too far behind.
    }
    const oldest = performance.now() - Math.max(REMEMBER_MS, this.#options.maxLagMs);
    while (this.#samples[0] && this.#samples[0].at < oldest) this.#samples.shift();
  }

  async #compare(): Promise<void> {
    try {
      const [row] = await this.#options.replica.internal.run("SELECT 1", []);
      const position = parsePosition(String(row?.[0]));
      this.#isReachable = true;
      const reached = this.#samples.findLast((sample) => sample.position <= position);
      if (reached) this.#reachedAt = reached.at;
    } catch {
      this.#isReachable = false;
    }
    this.#report();
  }

  #report(): void {
    const isUsed = this.#isUsable();
    if (isUsed === this.#wasUsed) return;
    this.#wasUsed = isUsed;
    const { logger } = this.#options;
    if (isUsed) logger.info("the replica of the database is read again");
    else
      logger.warn("the replica of the database is too far behind or cannot be reached: the primary is read", {
        lagMs: this.#lagMs(),
      });
  }

  async #once(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#running.has(name)) return;
    this.#running.add(name);
    await work().finally(() => this.#running.delete(name));
  }
}

/** Returns a position of the write-ahead log, such as `16/B374D848`, as a number. */
function parsePosition(text: string): bigint {
  const [high = "0", low = "0"] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
