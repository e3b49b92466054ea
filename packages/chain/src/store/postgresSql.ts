import { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresQueryCompiler, sql } from "kysely";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { compileQuery, type SqlValue } from "./indexQuery.ts";

/** Rows by column name; `count` is the number of affected rows. */
export type Rows<R> = R[] & { count: number };

export interface Sql {
  /** Executes a statement; values are parameters or fragments of Kysely's `sql`. */
  <R = Record<string, unknown>>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Rows<R>>;
  /** A statement with `$1`, `$2`, … as parameters. `prepare` keeps it prepared in the session. */
  unsafe<R = Record<string, unknown>>(
    text: string,
    parameters?: readonly SqlValue[],
    options?: { prepare?: boolean },
  ): Promise<Rows<R>>;
}

export interface Transaction extends Sql {
  /** Copies rows in PostgreSQL's COPY text format into a table. */
  copyIn(table: string, rows: string): Promise<void>;
}

export interface SqlPool extends Sql {
  /** Runs `work` in a transaction within the pool's deadline. */
  begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Can be called more than once. */
  end(): Promise<void>;
}

export interface SqlPoolOptions {
  url: string;
  /** The search path. */
  schema: string;
  connections: number;
  applicationName: string;
  /** Server-side statement timeout in ms; unlimited if undefined. */
  timeoutMs: number | undefined;
  /** Deadline of a statement outside a transaction, or of a whole transaction, in ms. */
  deadlineMs: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
/** How long end() waits for running transactions, in ms. */
const END_MS = 5_000;
/** How long a frozen process can hold locks in an open transaction, in ms. */
const IDLE_IN_TRANSACTION_MS = 3_000;
const INT8 = 20;

/** int8 is parsed as number: positions are safe integers (see model/rows.ts). */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string) =>
    oid === INT8
      ? Number
      : format === "binary"
        ? pg.types.getTypeParser(oid, "binary")
        : pg.types.getTypeParser(oid),
};

type Run = (text: string, parameters: readonly SqlValue[], name?: string) => Promise<pg.QueryResult>;

export function openSqlPool(options: SqlPoolOptions): SqlPool {
  const sockets = new WeakMap<pg.Client, Socket>();
  class Client extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      const socket = new Socket();
      super({ ...(typeof config === "object" && config), stream: () => socket });
      sockets.set(this, socket);
    }
  }
  const pool = new pg.Pool({
    connectionString: withSettings(options.url, {
      search_path: options.schema,
      // Plans for particular values depend on statistics, which lag behind a growing index.
      plan_cache_mode: "force_generic_plan",
    }),
    max: options.connections,
    application_name: options.applicationName,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(options.timeoutMs !== undefined && { statement_timeout: options.timeoutMs }),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    idleTimeoutMillis: 0,
    types: TYPES,
    Client,
  });
  // Lost idle sessions are replaced on demand.
  pool.on("error", () => undefined);

  let ended: Promise<void> | undefined;
  const run: Run = (text, parameters, name) => {
    const query = { ...queryOf(text, parameters, name), query_timeout: options.deadlineMs };
    return pool.query(query);
  };
  return Object.assign(sqlOf(run), {
    async begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
      const client = await pool.connect();
      let lost: Error | undefined;
      client.on("error", (error) => {
        lost = error;
      });
      const deadline = setTimeout(() => {
        sockets.get(client)?.destroy(new Error("The transaction exceeded its deadline"));
      }, options.deadlineMs);
      try {
        await client.query("BEGIN");
        const value = await work(transactionOf(client));
        const { command } = await client.query("COMMIT");
        if (command !== "COMMIT") throw new Error("The database rolled the transaction back");
        return value;
      } catch (error) {
        await client.query("ROLLBACK").catch((failure: Error) => {
          lost ??= failure;
        });
        throw error;
      } finally {
        clearTimeout(deadline);
        client.removeAllListeners("error");
        client.release(lost);
      }
    },
    end() {
      const late = sleep(END_MS, undefined, { ref: false });
      ended ??= Promise.race([pool.end(), late]);
      return ended;
    },
  });
}

function transactionOf(client: pg.PoolClient): Transaction {
  const run: Run = (text, parameters, name) => client.query(queryOf(text, parameters, name));
  return Object.assign(sqlOf(run), {
    async copyIn(table: string, rows: string) {
      await pipeline(Readable.from([rows]), client.query(copyFrom(`COPY ${table} FROM STDIN`)));
    },
  });
}

function sqlOf(run: Run): Sql {
  async function execute<R>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Rows<R>> {
    const { text, parameters } = compileQuery(COMPILER, sql(strings, ...values));
    return rowsOf<R>(await run(text, parameters));
  }
  return Object.assign(execute, {
    async unsafe<R>(text: string, parameters: readonly SqlValue[] = [], { prepare = false } = {}) {
      return rowsOf<R>(await run(text, parameters, prepare ? preparedName(text) : undefined));
    },
  });
}

const COMPILER = new PostgresQueryCompiler();

function queryOf(text: string, parameters: readonly SqlValue[], name: string | undefined): pg.QueryConfig {
  const values = parameters.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
  return { text, values, ...(name !== undefined && { name }) };
}

function rowsOf<R>({ rows, rowCount }: pg.QueryResult): Rows<R> {
  return Object.assign(rows, { count: rowCount ?? 0 });
}

const names = new Map<string, string>();
/** Max prepared statements per session. */
const MAX_NAMES = 500;

function preparedName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_NAMES) {
    name = `chain_${names.size}`;
    names.set(text, name);
  }
  return name;
}

/** `ssl` is an alias of `sslmode`, with libpq's meaning. */
function withSettings(url: string, settings: Readonly<Record<string, string>>): string {
  const target = new URL(url);
  const parameters = target.searchParams;
  const ssl = parameters.get("ssl");
  parameters.delete("ssl");
  if (ssl !== null && !parameters.has("sslmode")) parameters.set("sslmode", ssl === "true" ? "require" : ssl);
  if (parameters.has("sslmode")) parameters.set("uselibpqcompat", "true");
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  parameters.set("options", [parameters.get("options") ?? "", ...options].join(" ").trim());
  return target.href;
}
