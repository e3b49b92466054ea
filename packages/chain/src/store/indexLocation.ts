/** The database and the schema with the index of a chain. */
export interface PostgresLocation {
  url: string;
  schema: string;
}

/** Where the index of one chain is stored. */
export type IndexLocation = { kind: "sqlite"; path: string } | ({ kind: "postgres" } & PostgresLocation);
