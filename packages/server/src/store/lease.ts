/**
 * Leases: rights that one process of all that share a database holds for a while. Each term of a holder has a number
 * of its own, higher than those before it; a write that carries the number (`kind: "fence"`) fails once the term is over,
 * whatever the process itself believes.
 */
export interface Leases {
  /**
   * Takes a lease that nobody holds, or renews one's own, for `ttlMs` by the database's clock. Answers the number of
   * the term; undefined where another process holds it.
   */
  acquire(name: string, holder: string, ttlMs: number): Promise<number | undefined>;
  /** Gives a lease back before its time. */
  release(name: string, holder: string): Promise<void>;
}

/** A write came from a term that is over. Nothing of its group was written. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
  readonly lease: string;

  constructor(lease: string) {
    super(`the lease ${lease} is not held any more`);
    this.lease = lease;
  }
}
