import { performance } from "node:perf_hooks";
import type { Logger } from "../model/logger.ts";
import type { OpenRange, PostgresRanges } from "../store/postgresRanges.ts";
import { RangeLostError, type RangeRequest, RENEWAL_MS } from "../store/rangeLeases.ts";
import { fetchRanges } from "./fetchRanges.ts";
import type { IndexScope } from "./scope.ts";

export interface RangeFillerOptions {
  ranges: PostgresRanges;
  scope: IndexScope;
  /** The definition of the index, if this process indexes in the same way. */
  definition(): Promise<string | undefined>;
  chainName: string;
  log: Logger;
  /** Delay after a failure, in ms. */
  retryMs: number;
}

/** Failures since the last complete range after which a process no longer continues what others left. */
const MAX_FAILURES = 3;

/** Indexes ranges in the background, one after the other. */
export class RangeFiller {
  readonly #options: RangeFillerOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #retryAt = 0;
  #failures = 0;

  constructor(options: RangeFillerOptions) {
    this.#options = options;
  }

  /** Whether this process can continue a range: it indexes as the index is, and has not failed repeatedly. */
  async canContinue(): Promise<boolean> {
    return this.#failures < MAX_FAILURES && (await this.#options.definition()) !== undefined;
  }

  /** Leases and indexes a range, unless one is being indexed. Does not wait for it. */
  start(request: Pick<RangeRequest, "first" | "last">): void {
    if (this.#running || this.#stopping.signal.aborted || performance.now() < this.#retryAt) return;
    this.#running = this.#fill(request).finally(() => {
      this.#running = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #fill(request: Pick<RangeRequest, "first" | "last">): Promise<void> {
    const { ranges, definition, chainName, log, retryMs } = this.#options;
    let range: OpenRange | undefined;
    try {
      const text = await definition();
      if (text === undefined) return;
      range = await ranges.take({ ...request, definition: text });
      if (!range) return;
      const { first, last } = range;
      log.info("indexing a range in advance", { chain: chainName, from: first, to: last });
      await this.#index(range);
      this.#failures = 0;
      log.info("indexed a range in advance", { chain: chainName, from: first, to: last });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#failures += 1;
      this.#retryAt = performance.now() + retryMs;
      log.warn("a range could not be indexed in advance", { chain: chainName, error: String(error) });
    } finally {
      await this.#leave(range);
    }
  }

  async #index({ lease, index, last }: OpenRange): Promise<void> {
    const { ranges, scope } = this.#options;
    const lost = new AbortController();
    const timer = setInterval(() => {
      ranges.leases.renew(lease).catch((error: unknown) => {
        // Others expire with the lease, if they last.
        if (error instanceof RangeLostError) lost.abort(error);
      });
    }, RENEWAL_MS).unref();
    const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
    try {
      let newest = await index.open();
      const from = newest ? newest.number + 1 : lease.nextBlock;
      for await (const fetched of fetchRanges(scope, from, last)) {
        signal.throwIfAborted();
        if (newest && fetched.parentHash !== newest.hash) break;
        await index.append(fetched.rows, fetched.tokens);
        newest = fetched.last;
      }
      if (newest?.number !== last) throw new Error("the blocks of the node are missing or inconsistent");
      await index.complete();
    } finally {
      clearInterval(timer);
    }
  }

  /** Lets another process continue at once; otherwise the lease expires. */
  async #leave(range: OpenRange | undefined): Promise<void> {
    if (!range) return;
    await this.#options.ranges.leases.release(range.lease).catch(() => undefined);
    await range.close().catch(() => undefined);
  }
}
