import type { WorkerHealth } from "@purse/workers";

/** How a database is, as far as the process knows without asking it. */
export interface StoreHealth {
  /** The threads that work for it. */
  workers: WorkerHealth[];
  /**
   * - `damaged`: its file is; nothing is written any more until somebody puts a sound one in its place
   * - `unwritable`: the last write failed because of the disk; the next one that succeeds ends it
   */
  problem?: "damaged" | "unwritable";
}
