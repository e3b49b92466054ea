import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresQueryCompiler, sql } from "kysely";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { compileQuery, type SqlValue } from "./indexQuery.ts";
import { type Connection, shareConnections } from "./postgresConnections.ts";

/** Rows by column name; `count` is the number of affected rows. */
type Rows<R> = R[] & { count: number };

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
  /** Copies rows in PostgreSQL's binary COPY format into a table. */
  copyIn(table: string, rows: Buffer): Promise<void>;
}

export interface SqlPool extends Sql {
  /** Runs `work` in a transaction within the pool's deadline. */
  begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Can be called more than once. */
  end(): Promise<void>;
}

export interface SqlPoolOptions {
  url: string;
  /** Whether a pooler may hand each transaction to another session of the server. */
  isPooled: boolean;
  /** The search path. */
  schema: string;
  /** What the connections are for: all indexes share those of one purpose. */
  purpose: string;
  connections: number;
  /** Server-side statement timeout in ms; unlimited if undefined. */
  timeoutMs: number | undefined;
  /** Deadline of a statement outside a transaction, or of a whole transaction, in ms. */
  deadlineMs: number;
  /** How long to wait for a connection that others use, in ms. */
  acquireMs: number;
  /** Whether rows are copied into tables. */
  copies: boolean;
}

/** How long end() waits for running transactions, in ms. */
const END_MS = 5_000;

type Run = (text: string, parameters: readonly SqlValue[], isPrepared: boolean) => Promise<pg.QueryResult>;

export function openSqlPool(options: SqlPoolOptions): SqlPool {
  const { url, isPooled, schema, purpose, connections, timeoutMs, deadlineMs, acquireMs, copies } = options;
  const shared = shareConnections({
    ...{ url, isPooled, purpose, connections, timeoutMs, acquireMs },
    isPipelined: isPooled && !copies,
  });
  let ended: Promise<void> | undefined;
  const nameOf = (text: string, isPrepared: boolean) =>
    isPrepared && !isPooled ? preparedName(schema, text) : undefined;
  const run: Run = (text, parameters, isPrepared) =>
    shared.withClient(schema, ({ client, begin }) => {
      const query = { ...queryOf(text, parameters, nameOf(text, isPrepared)), query_timeout: deadlineMs };
      return isPooled ? inTransaction(client, begin, query) : client.query(query);
    });
  return Object.assign(sqlOf(run), {
    begin: <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
      shared.withClient(schema, async (connection) => {
        const { client } = connection;
        const deadline = setTimeout(
          () => connection.destroy(new Error("The transaction exceeded its deadline")),
          deadlineMs,
        );
        try {
          await client.query(connection.begin);
          const value = await work(transactionOf(client, nameOf));
          const { command } = await client.query("COMMIT");
          if (command !== "COMMIT") throw new Error("The database rolled the transaction back");
          return value;
        } catch (error) {
          await rollBack(connection);
          throw error;
        } finally {
          clearTimeout(deadline);
        }
      }),
    end() {
      const late = sleep(END_MS, undefined, { ref: false });
      ended ??= Promise.race([shared.release(), late]);
      return ended;
    },
  });
}

async function rollBack({ client, destroy }: Connection): Promise<void> {
  await client.query("ROLLBACK").catch(destroy);
}

/** Runs a statement and the transaction around it, in one round trip if the connection is pipelined. */
async function inTransaction(
  client: pg.PoolClient,
  begin: string,
  query: pg.QueryConfig,
): Promise<pg.QueryResult> {
  const [began, result, ended] = await Promise.allSettled([
    client.query(begin),
    client.query(query),
    client.query("COMMIT"),
  ]);
  if (result.status === "rejected") throw result.reason;
  for (const outcome of [began, ended]) if (outcome.status === "rejected") throw outcome.reason;
  return result.value;
}

function transactionOf(
  client: pg.PoolClient,
  nameOf: (text: string, isPrepared: boolean) => string | undefined,
): Transaction {
  const run: Run = (text, parameters, isPrepared) =>
    client.query(queryOf(text, parameters, nameOf(text, isPrepared)));
  return Object.assign(sqlOf(run), {
    async copyIn(table: string, rows: Buffer) {
      await pipeline(
        Readable.from([rows]),
        client.query(copyFrom(`COPY ${table} FROM STDIN (FORMAT binary)`)),
      );
    },
  });
}

function sqlOf(run: Run): Sql {
  async function execute<R>(strings: TemplateStringsArray, ...values: unknown[]): Promise<Rows<R>> {
    const { text, parameters } = compileQuery(COMPILER, sql(strings, ...values));
    return rowsOf<R>(await run(text, parameters, false));
  }
  return Object.assign(execute, {
    async unsafe<R>(text: string, parameters: readonly SqlValue[] = [], { prepare = false } = {}) {
      return rowsOf<R>(await run(text, parameters, prepare));
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
/** Max prepared statements per connection. */
const MAX_NAMES = 1_000;

/** The name of a prepared statement, which belongs to the tables of one schema. */
function preparedName(schema: string, text: string): string | undefined {
  const key = `${schema} ${text}`;
  let name = names.get(key);
  if (name === undefined && names.size < MAX_NAMES) {
    name = `chain_${names.size}`;
    names.set(key, name);
  }
  return name;
}
