/*
 * Runs one scenario with many versions of third-party clients and with ours, on both databases, and writes
 * docs/internals/interop.md.
 *   npm run interop [-- --only moralis --database SQLite]
 * Ends with 1 where anything failed.
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled } from "../../../scripts/install.mjs";
import { newDatabase, startPostgres } from "../../support/postgresServer.ts";
import { type Purse, startPurse } from "../../support/purse.ts";
import { type ClientRun, MATRIX, REACT_MATRIX, runClient } from "./clients.ts";
import type { Outcome } from "./operation.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const PAGE = join(ROOT, "docs/internals/interop.md");
const DATABASES = ["SQLite", "PostgreSQL"];

const { values } = parseArgs({ options: { only: { type: "string" }, database: { type: "string" } } });
ensureInstalled(join(ROOT, "tests/interop/matrix"), "the clients of the matrix");

const databases = DATABASES.filter((name) => !values.database || name === values.database);
const clients = [...MATRIX, ...REACT_MATRIX].filter(
  ({ client }) => !values.only || client.includes(values.only),
);
const results = new Map<ClientRun, Map<string, Outcome[]>>();
for (const database of databases) {
  const server = await startServer(database);
  for (const client of clients) {
    const outcomes = await runClient(client, server.purse);
    results.set(client, (results.get(client) ?? new Map()).set(database, outcomes));
    console.log(`${nameOf(client)} on ${database}: ${summary(outcomes)}`);
    for (const { operation, problem } of failures(outcomes)) console.log(`  ${operation}: ${problem}`);
  }
  await server.stop();
}
if (!values.only && !values.database) writeFileSync(PAGE, page());
process.exit(
  [...results.values()].some((of) => [...of.values()].some((each) => failures(each).length > 0)) ? 1 : 0,
);

async function startServer(database: string): Promise<{ purse: Purse; stop(): Promise<void> }> {
  if (database === "SQLite") {
    const purse = await startPurse({ devChain: true });
    return { purse, stop: () => purse.remove() };
  }
  const postgres = await startPostgres();
  const url = await newDatabase(postgres.url);
  const purse = await startPurse({ devChain: true, env: { PURSE_DATABASE_URL: url } });
  return {
    purse,
    stop: async () => {
      await purse.remove();
      await postgres.stop();
    },
  };
}

function failures(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ result }) => result === "failed");
}

function summary(outcomes: readonly Outcome[]): string {
  const passed = outcomes.filter(({ result }) => result === "passed").length;
  return `${passed} passed, ${failures(outcomes).length} failed`;
}

function nameOf({ client, version }: ClientRun): string {
  return version ? `${client} ${version}` : client;
}

function page(): string {
  const rows = [...results].map(([client, of]) => {
    const cells = databases.map((database) => summary(of.get(database) ?? []));
    const absent = (of.get("SQLite") ?? []).filter(({ result }) => result === "absent").length;
    return `| ${nameOf(client)} | ${cells.join(" | ")} | ${absent} |`;
  });
  const problems = [...results].flatMap(([client, of]) =>
    [...of].flatMap(([database, outcomes]) =>
      failures(outcomes).map(
        ({ operation, problem }) => `| ${nameOf(client)} | ${database} | ${operation} | ${problem} |`,
      ),
    ),
  );
  return `# Clients

Written by \`npm run interop\`, which runs one scenario with each client in a process of its own, against a new server with
the local chain. The clients are those of the npm registry, unmodified. An operation that a version does not have, or calls without the session that it needs, is counted as absent.
Clients for React run in a document without a browser, the others in Node.js.

| Client | ${databases.join(" | ")} | Absent |
| --- | ${databases.map(() => "---").join(" | ")} | ---: |
${rows.join("\n")}
${problems.length > 0 ? `\n## Failed operations\n\n| Client | Database | Operation | Problem |\n| --- | --- | --- | --- |\n${problems.join("\n")}\n` : ""}`;
}
