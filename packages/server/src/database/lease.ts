/**
 * Leases: exclusive rights that one of several processes holds for a limited time. Each term has a fencing number
 * higher than all before it. A write with that number (`kind: "fence"`) fails once the term is over, even if the
 * process still considers itself the holder.
 */
export interface Leases {
  /**
   * Acquires a free lease, or renews an own one, for `ttlMs` by the clock of the database. Returns the number of the
   * term; undefined if another process holds the lease.
   */
  acquire(name: string, holder: string, ttlMs: number): Promise<number | undefined>;
  /** Releases a lease before it expires. */
  release(name: string, holder: string): Promise<void>;
}

/** A write used an expired term. Nothing of its transaction was written. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  readonly lease: string;

  constructor(lease: string) {
    super(`the lease ${lease} has expired`);
    this.lease = lease;
  }
}
