import postgres from "postgres";
import { newDatabase } from "./postgresServer.ts";
import { hostPurse } from "./purse.ts";

/** Lets one process of a test run create the template, while the others wait. */
const TEMPLATE_LOCK = 20_261_127;
/** What the first start leaves, besides tables and classes. */
const RECORDS = ["purse_claims", "purse_leases", "purse_write_sessions"];

const templates = new Map<string, Promise<string>>();

/**
 * Creates a database as the first start of a server leaves it: creating the tables takes most of the CPU time of such a
 * start. Tests of first starts and of migrations use `newDatabase`.
 */
export async function newStartedDatabase(serverUrl: string): Promise<string> {
  let template = templates.get(serverUrl);
  if (!template) {
    template = ensureTemplate(serverUrl);
    templates.set(serverUrl, template);
    // The next test tries again.
    template.catch(() => templates.delete(serverUrl));
  }
  return newDatabase(serverUrl, await template);
}

/** Creates the template of this test run unless another process has. Returns its name. */
async function ensureTemplate(serverUrl: string): Promise<string> {
  const name = `started_${(process.env.PURSE_TEST_RUN ?? "").replaceAll("-", "_")}`;
  const sql = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  try {
    // Until the connection is closed.
    await sql`SELECT pg_advisory_lock(${TEMPLATE_LOCK})`;
    const [found] = await sql`SELECT 1 FROM pg_database WHERE datname = ${name}`;
    if (found) return name;
    const draftUrl = await newDatabase(serverUrl);
    await startOn(draftUrl);
    await sql.unsafe(`ALTER DATABASE ${new URL(draftUrl).pathname.slice(1)} RENAME TO ${name}`);
    return name;
  } finally {
    await sql.end();
  }
}

/** Starts a server on an empty database, stops it, and removes what belongs to that server. */
async function startOn(url: string): Promise<void> {
  const purse = await hostPurse({ env: { PURSE_DATABASE_URL: url } });
  await purse.remove();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    for (const table of RECORDS) await sql.unsafe(`DELETE FROM ${table}`);
  } finally {
    await sql.end();
  }
}
