import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { ensureServersBuilt } from "../../scripts/build.mjs";
import { chainSnapshot } from "./chainSnapshot.ts";
import { removeEmptyData, SHARED, startPostgres } from "./postgresServer.ts";
import { endHosts } from "./serverHost/client.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Of the tests' PostgreSQL server. */
    postgresUrl: string;
  }
}

/** Test files that start something, by their suffix. */
const STARTING = /\.(server|alone|browser)\.test\.tsx?$/;

/**
 * One local chain to go on from, and one PostgreSQL server for all tests; each makes databases of its own.
 * `PURSE_TEST_POSTGRES_URL` names another.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { config, state } = project.vitest;
  if (!config.watch && !state.getPaths().some((path) => STARTING.test(path))) return undefined;
  ensureServersBuilt();
  // Tests and the servers that they start go on from it: see startPurse.
  process.env.PURSE_TEST_BEGUN_CHAIN = await chainSnapshot();
  const run = randomUUID();
  process.env.PURSE_TEST_RUN = run;
  // What the first test that needs it makes for all of them.
  const folder = mkdtempSync(join(tmpdir(), "purse-run-"));
  process.env.PURSE_TEST_RUN_FOLDER = folder;
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const given = process.env.PURSE_TEST_POSTGRES_URL;
  if (given) {
    project.provide("postgresUrl", given);
    return async () => {
      await endHosts(run);
      removeEmptyData();
      removeFolder();
    };
  }
  const server = await startPostgres({ more: SHARED });
  project.provide("postgresUrl", server.url);
  return async () => {
    await endHosts(run);
    await server.discard();
    removeEmptyData();
    removeFolder();
  };
}
