import type { ReplicaStatus } from "../database/replicaStatus.ts";

/** The health of the replica at `/health`. */
export function replicaHealth({ isUsed, lagMs, maxLagMs }: ReplicaStatus) {
  return {
    state: isUsed ? "used" : "unused",
    lagSeconds: lagMs === null ? null : lagMs / 1000,
    maxLagSeconds: maxLagMs / 1000,
  };
}

/** Why the replica is not read; undefined if it is. */
export function replicaProblem({ isUsed, lagMs, maxLagMs }: ReplicaStatus): string | undefined {
  if (isUsed) return undefined;
  return lagMs !== null && lagMs > maxLagMs
    ? `The replica of the database is ${Math.round(lagMs / 1000)} s behind: the primary is read`
    : "The replica of the database cannot be reached: the primary is read";
}
