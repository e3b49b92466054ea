/** A PostgreSQL server of the tests' own, gone with them. */
export interface PostgresServer {
  /** Of the database to which nobody writes; others are made beside it. */
  url: string;
  stop(): Promise<void>;
}
/** Starts a new server on a free port. Unless it is to be `durable` it does not write to the disk for good. */
export declare function startPostgres({
  durable,
}?: {
  durable?: boolean | undefined;
}): Promise<PostgresServer>;
/** Makes an empty database beside the one of a URL, and answers its own. */
export declare function newDatabase(serverUrl: string): Promise<string>;
