import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Logger } from "../observe/logger.ts";
import { LeaseLost, type Leases } from "../store/lease.ts";
import type { Store, Write } from "../store/store.ts";

/** How long a term lasts without renewal: a holder that freezes is replaced soon after, in ms. */
const TTL_MS = 3_000;
const RENEW_MS = 1_000;

export interface LeaseKeeperOptions {
  leases: Leases;
  name: string;
  log: Logger;
  /** Called when a term begins or ends. */
  onChange?: (() => void) | undefined;
  /** A clock that cannot be set, in ms. */
  clock?: () => number;
}

/**
 * Takes one lease and renews it for as long as it can. By its own clock a term ends before it does by the database's: a
 * process that was frozen finds that it holds nothing any more.
 */
export class LeaseKeeper {
  readonly name: string;
  readonly holder = randomUUID();
  readonly #options: LeaseKeeperOptions;
  readonly #clock: () => number;
  #term: { fence: number; endsAt: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(options: LeaseKeeperOptions) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** The number of the term that lasts now; undefined where this process does not hold the lease. */
  get term(): number | undefined {
    return this.#term && this.#term.endsAt > this.#clock() ? this.#term.fence : undefined;
  }

  /** Tries to take the lease from now on. */
  start(): void {
    this.#timer = setInterval(() => void this.renew(), RENEW_MS);
    this.#timer.unref();
    void this.renew();
  }

  /** Gives the lease back. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    this.#term = undefined;
    await this.#options.leases.release(this.name, this.holder);
  }

  /** Takes the lease where nobody holds it; renews it where this process does. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** The step of a write that lets it happen in this term only. Throws LeaseLost where none lasts. */
  fence(): Write {
    const fence = this.term;
    if (fence === undefined) throw new LeaseLost(this.name);
    return { kind: "fence", lease: this.name, holder: this.holder, fence };
  }

  async #renew(): Promise<void> {
    const { leases, log } = this.#options;
    const before = this.#term;
    // The database counts from when it is asked, which is later.
    const askedAt = this.#clock();
    try {
      const fence = await leases.acquire(this.name, this.holder, TTL_MS);
      this.#term = fence === undefined ? undefined : { fence, endsAt: askedAt + TTL_MS };
    } catch (error) {
      log.warn("a lease could not be renewed", { lease: this.name, error: String(error) });
      if (this.term !== undefined) return;
      this.#term = undefined;
    }
    if (before?.fence === this.#term?.fence) return;
    if (before)
      log.warn("a lease was lost: this process stands down", { lease: this.name, term: before.fence });
    if (this.#term) log.info("a lease was taken", { lease: this.name, term: this.#term.fence });
    this.#options.onChange?.();
  }
}

/** The same store for the work of whoever holds a lease: nothing is written outside of the term. Rejects with LeaseLost. */
export function fencedStore(store: Store, keeper: Pick<LeaseKeeper, "fence">): Store {
  return {
    ...store,
    async write(group) {
      const results = await store.write([...group, keeper.fence()]);
      return results.slice(0, group.length);
    },
  };
}
