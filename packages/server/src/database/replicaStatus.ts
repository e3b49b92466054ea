/** How a replica of the database is used. */
export interface ReplicaStatus {
  /** How far it is behind the primary, in ms; null if that is unknown. */
  lagMs: number | null;
  /** How far it may be behind, in ms. */
  maxLagMs: number;
  /** Whether it is read; otherwise the primary is. */
  isUsed: boolean;
  /** The number of queries for a replica, by what has answered them. */
  reads: { replica: number; primary: number };
}
