/** The kind and location of the database. */
export type DatabaseConfig =
  | { kind: "sqlite"; path: string }
  /** `url` as in `postgres://user:password@host:5432/database`; `connections` is the maximum number of this process. */
  | {
      kind: "postgres";
      url: string;
      connections: number;
      replicaUrl?: string;
      /** How far the replica may be behind, in ms. */
      replicaMaxLagMs?: number;
      /** A connection without a pooler; if it is set, `url` and `replicaUrl` may be those of poolers. */
      directUrl?: string;
    };
