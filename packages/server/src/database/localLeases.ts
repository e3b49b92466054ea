import { performance } from "node:perf_hooks";
import type { Leases } from "./lease.ts";

/** Leases of a database that is used by a single process. They use a monotonic clock. */
export interface LocalLeases extends Leases {
  /** Whether a term has not expired. */
  isHeld(term: { lease: string; holder: string; fence: number }): boolean;
}

export function createLocalLeases(clock: () => number = () => performance.now()): LocalLeases {
  const terms = new Map<string, { holder: string; fence: number; expiresAt: number }>();
  return {
    async acquire(name, holder, ttlMs) {
      const now = clock();
      const known = terms.get(name);
      const isExpired = !known || known.expiresAt <= now;
      if (!isExpired && known.holder !== holder) return undefined;
      const fence = isExpired ? (known?.fence ?? 0) + 1 : known.fence;
      terms.set(name, { holder, fence, expiresAt: now + ttlMs });
      return fence;
    },
    async release(name, holder) {
      const known = terms.get(name);
      if (known?.holder === holder) known.expiresAt = Number.NEGATIVE_INFINITY;
    },
    isHeld({ lease, holder, fence }) {
      const known = terms.get(lease);
      return known?.fence === fence && known.holder === holder && known.expiresAt > clock();
    },
  };
}
