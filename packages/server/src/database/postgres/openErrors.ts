import { DatabaseUnavailableError, isUnsupported, sqlState, toProtocolError } from "./errors.ts";
import { ExclusivePool } from "./pools.ts";
import type { Row, Session } from "./session.ts";
import type { SessionUrls } from "./sessionKinds.ts";
import type { StorePools } from "./storePools.ts";

/** duplicate_prepared_statement, invalid_sql_statement_name: another session has the statement, or does not. */
const OTHER_SESSION_STATES: ReadonlySet<string | undefined> = new Set(["42P05", "26000"]);

/** How often the check is repeated: a pooler may hand several transactions in a row to the same session. */
const CHECKS = 3;
/** How long a statement of the check may take, in ms: those of maintenance may take any time otherwise. */
const CHECK_TIMEOUT_MS = 5_000;

/**
 * Throws Error if the connections that need a session are to a pooler that hands each transaction to another one. Some
 * of it would work, with notifications that never arrive and the timeouts of other sessions.
 */
export async function assertOwnSessions(
  { kinds, maintenance }: Pick<StorePools, "kinds" | "maintenance">,
  urls: SessionUrls,
): Promise<void> {
  const others = new ExclusivePool(kinds.maintenance, 1);
  try {
    const isOwn = await maintenance.withSession((session) =>
      others.withSession(async (other) => {
        const before = await mark(session, "1");
        await mark(other, "2");
        // Most poolers hand the next transaction to the session of the last one, others to each in turn.
        for (let i = 0; i < CHECKS; i++) if ((await readMark(session)) !== before) return false;
        return true;
      }),
    );
    if (!isOwn) throw poolerError(urls);
  } catch (error) {
    // Databases without such settings have no poolers that Purse knows.
    if (isUnsupported(error)) return;
    throw OTHER_SESSION_STATES.has(sqlState(error))
      ? poolerError(urls)
      : unreachableError(error, urls.directUrl ?? urls.url);
  } finally {
    await others.end();
  }
}

async function mark(session: Session, value: string): Promise<string> {
  await session.run("SELECT set_config('purse.session', ?, false)", [value], CHECK_TIMEOUT_MS);
  return readMark(session);
}

/** What the server's session has been marked with, and its process. */
async function readMark(session: Session): Promise<string> {
  const [row] = await session.run(
    "SELECT current_setting('purse.session', true), pg_backend_pid()",
    [],
    CHECK_TIMEOUT_MS,
  );
  return String(row?.join());
}

function poolerError({ directUrl }: SessionUrls): Error {
  const pooler =
    "that of a pooler that hands each transaction to another session (PgBouncer in transaction mode)";
  return new Error(
    directUrl === undefined
      ? `PURSE_DATABASE_URL is ${pooler}: set PURSE_DATABASE_DIRECT_URL to the URL of PostgreSQL itself, too`
      : `PURSE_DATABASE_DIRECT_URL is ${pooler}: it has to be that of PostgreSQL itself`,
  );
}

/** Identifies the tables that a connection finds. */
const IDENTITY = `SELECT oid, current_schema(), to_regclass(quote_ident(current_schema()) || '.purse_layout')::oid
  FROM pg_database WHERE datname = current_database()`;

/** Throws Error if the direct URL and that of the pooler lead to different databases. */
export async function assertSameDatabase(
  { maintenance, reads }: Pick<StorePools, "maintenance" | "reads">,
  { url, directUrl }: SessionUrls,
): Promise<void> {
  if (directUrl === undefined) return;
  const read = async (rows: Promise<readonly Row[]>, from: string) => {
    const [row] = await rows.catch((error: unknown) => {
      throw unreachableError(error, from);
    });
    return row?.join();
  };
  const direct = await read(
    maintenance.withSession((session) => session.run(IDENTITY, [])),
    directUrl,
  );
  if (direct !== (await read(reads.internal.run(IDENTITY, []), url)))
    throw new Error(
      "PURSE_DATABASE_URL and PURSE_DATABASE_DIRECT_URL lead to different databases or schemas",
    );
}

/** The error for operators if the database of a URL cannot be reached during the start; others are returned as they are. */
export function unreachableError(error: unknown, url: string): unknown {
  const translated = toProtocolError(error);
  if (!(translated instanceof DatabaseUnavailableError)) return translated;
  const { hostname, port, searchParams } = new URL(url);
  // The driver prefers those of the parameters, as for a socket in the file system.
  const address = `${searchParams.get("host") ?? hostname}:${searchParams.get("port") ?? (port || 5432)}`;
  const reason = translated.cause instanceof Error ? `: ${translated.cause.message}` : "";
  return new Error(`PostgreSQL at ${address} cannot be reached${reason}`);
}
