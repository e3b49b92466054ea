import { randomUUID } from "node:crypto";
import postgres from "postgres";

/** The server ends with the test run, and its databases with it, unless another one is given. */
const isKept = process.env.PURSE_TEST_POSTGRES_URL !== undefined;
/** How often the connections to a database are ended, since there may be new ones, and how long each may take, in ms. */
const ATTEMPTS = 3;
const END_MS = 5_000;

interface PostgresDatabase {
  url: string;
  remove(): Promise<void>;
}

/** URLs of emptied databases: creating one takes the server a fifth of a second of CPU time, emptying it a tenth of that. */
const emptied: string[] = [];

/** Creates a database on a server, empty or as a copy of another one. */
export async function createPostgres(server: string, template?: string): Promise<PostgresDatabase> {
  const reused = template === undefined ? emptied.pop() : undefined;
  const url = reused ?? (await createNew(server, template));
  return {
    url,
    async remove() {
      if (!isKept && template === undefined && (await empty(url))) emptied.push(url);
      else await withServer(server, (sql) => sql`DROP DATABASE IF EXISTS ${sql(nameOf(url))} WITH (FORCE)`);
    },
  };
}

async function createNew(server: string, template = "template1"): Promise<string> {
  const name = `chains_${randomUUID().replaceAll("-", "")}`;
  await withServer(server, (sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)}`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

/** Removes the contents of a database; returns false if somebody still uses it, or if it has more than indexes. */
async function empty(url: string): Promise<boolean> {
  return withServer(url, async (sql) => {
    if (!(await endOthers(sql))) return false;
    const schemas = await sql<{ name: string }[]>`
      SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, 'chain_')`;
    if (schemas.length > 0) await sql`DROP SCHEMA ${sql(schemas.map(({ name }) => name))} CASCADE`;
    const [left] = await sql<{ isEmpty: boolean }[]>`
      SELECT NOT EXISTS (SELECT FROM pg_class WHERE oid >= 16384)
        AND NOT EXISTS (SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()) AS "isEmpty"`;
    return left?.isEmpty === true;
  });
}

/** Ends the other connections to the database. Returns false if there are always new ones. */
async function endOthers(sql: postgres.Sql): Promise<boolean> {
  for (let i = 0; i < ATTEMPTS; i++) {
    const others = await sql`
      SELECT pg_terminate_backend(pid, ${END_MS}) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    if (others.length === 0) return true;
  }
  return false;
}

async function withServer<Result>(
  url: string,
  run: (sql: postgres.Sql) => PromiseLike<Result>,
): Promise<Result> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await run(sql);
  } finally {
    await sql.end();
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
