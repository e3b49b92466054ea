import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Logger } from "../../core/logger.ts";
import { OutageLog } from "../../core/outageLog.ts";
import { LeaseLostError, type Leases } from "../lease.ts";
import type { Store, Write } from "../store.ts";

/** How long a term lasts without renewal, in ms; a holder that freezes is replaced soon after. */
const TTL_MS = 3_000;
const RENEW_MS = 1_000;

export interface LeaseHolderOptions {
  leases: Leases;
  name: string;
  logger: Logger;
  /** Called when a term begins or ends, and when it goes on after it had ended by the local clock. */
  onChange?: (() => void) | undefined;
  /** A monotonic clock, in ms. */
  clock?: () => number;
}

/**
 * Acquires a lease and keeps renewing it. By the local clock a term ends earlier than by the database's, so that a process
 * that was frozen notices that it no longer holds the lease.
 */
export class LeaseHolder {
  readonly name: string;
  readonly id = randomUUID();
  readonly #options: LeaseHolderOptions;
  readonly #clock: () => number;
  readonly #outages: OutageLog;
  #term: { fence: number; endsAt: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(options: LeaseHolderOptions) {
    this.name = options.name;
    this.#options = options;
    this.#outages = new OutageLog(options.logger);
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Number of the current term; undefined if this process does not hold the lease. */
  get term(): number | undefined {
    return this.#term && this.#term.endsAt > this.#clock() ? this.#term.fence : undefined;
  }

  /** Starts acquiring and renewing the lease. */
  start(): void {
    this.#timer = setInterval(() => void this.renew(), RENEW_MS);
    this.#timer.unref();
    void this.renew();
  }

  /** Stops and releases the lease. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    this.#term = undefined;
    await this.#options.leases.release(this.name, this.id);
  }

  /** Acquires the lease if it is free; renews it if this process holds it. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** The write that makes a transaction fail outside of the current term. Throws LeaseLostError if there is none. */
  fence(): Write {
    const fence = this.term;
    if (fence === undefined) throw new LeaseLostError(this.name);
    return { kind: "fence", lease: this.name, holder: this.id, fence };
  }

  async #renew(): Promise<void> {
    const { leases, logger } = this.#options;
    const before = this.#term;
    // The database starts the term when it receives the request, which is later.
    const requestedAt = this.#clock();
    try {
      const fence = await leases.acquire(this.name, this.id, TTL_MS);
      this.#term = fence === undefined ? undefined : { fence, endsAt: requestedAt + TTL_MS };
      this.#outages.succeeded(this.name, "a lease can be renewed again", { lease: this.name });
    } catch (error) {
      const details = { lease: this.name, error: String(error) };
      this.#outages.failed(this.name, "a lease could not be renewed", details);
      if (this.term !== undefined) return;
      this.#term = undefined;
    }
    if (before && before.fence === this.#term?.fence) {
      if (before.endsAt > this.#clock()) return;
      // The database has confirmed the term late: what had stopped meanwhile has to go on.
      logger.warn("a lease was renewed late: this process goes on", { lease: this.name, term: before.fence });
      this.#options.onChange?.();
      return;
    }
    if (before === this.#term) return;
    if (before)
      logger.warn("a lease was lost: this process stands down", { lease: this.name, term: before.fence });
    if (this.#term) logger.info("a lease was acquired", { lease: this.name, term: this.#term.fence });
    this.#options.onChange?.();
  }
}

/** A store for the work of a lease holder: writes outside of its term reject with LeaseLostError. */
export function fencedStore(store: Store, holder: Pick<LeaseHolder, "fence">): Store {
  return {
    ...store,
    async write(group) {
      const results = await store.write([...group, holder.fence()]);
      return results.slice(0, group.length);
    },
  };
}
