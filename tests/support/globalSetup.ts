import type { TestProject } from "vitest/node";
import { ensureServerBuilt } from "../../scripts/build.mjs";
import { chainSnapshot } from "./chainSnapshot.ts";
import { startPostgres } from "./postgresServer.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Of the tests' PostgreSQL server. */
    postgresUrl: string;
  }
}

/** One local chain to go on from, and one PostgreSQL server for all tests; each makes databases of its own. `PURSE_TEST_POSTGRES_URL` names another. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  ensureServerBuilt();
  // Tests and the servers that they start go on from it: see startPurse.
  process.env.PURSE_TEST_BEGUN_CHAIN = await chainSnapshot();
  const given = process.env.PURSE_TEST_POSTGRES_URL;
  if (given) {
    project.provide("postgresUrl", given);
    return async () => undefined;
  }
  const server = await startPostgres();
  project.provide("postgresUrl", server.url);
  return () => server.stop();
}
