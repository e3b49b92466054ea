/** The database and the schema with the index of a chain. */
export interface PostgresLocation {
  url: string;
  schema: string;
  /** Without a pooler, for migrations; if it is set, `url` may be that of a pooler in transaction mode. */
  directUrl?: string;
  /** Blocks of a partition of the events, if the index is created here. */
  partitionBlocks?: number;
}

/**
 * Where the index of one chain is stored. With `clickHouseUrl`, its events are in that database of ClickHouse.
 * `formerClickHouseUrl` is the one that an index with other settings may use, until another index has taken its place.
 * `removalBlocks` are the blocks whose events are removed together, if old ones are.
 */
export type IndexLocation = { clickHouseUrl?: string; formerClickHouseUrl?: string } & (
  | { kind: "sqlite"; path: string; removalBlocks?: number }
  | ({ kind: "postgres" } & PostgresLocation)
);
