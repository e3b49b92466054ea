/** The databases that everything has to work on. */
export declare const DATABASES: readonly ["SQLite", "PostgreSQL"];
export type DatabaseName = (typeof DATABASES)[number];
/** Settings by which a server uses a new, empty database of a kind. */
export declare function databaseEnv(name: DatabaseName): Promise<Record<string, string>>;
