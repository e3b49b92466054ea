import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ChainConfig } from "../src/model/chainConfig.ts";
import {
  copyDatabase,
  createDatabase,
  type DatabaseLocation,
  type DatabaseName,
  type TestDatabase,
} from "./indexDatabase.ts";
import { rebuild } from "./randomHistory.ts";
import type { TestChain } from "./testChain.ts";

/** Creates databases with the index of the blocks that a chain had before. */
export type CreateIndexed = (
  name: DatabaseName,
  ends: (() => Promise<unknown>)[],
) => Promise<DatabaseLocation>;

/**
 * Indexes the present blocks of a chain in some kinds of databases, of which tests get copies: indexing takes several times as
 * long. On SQLite, the tests of a run index the same blocks only once. `ends` remove the originals.
 */
export async function indexBeforehand(
  chain: TestChain,
  ends: (() => Promise<unknown>)[],
  databases: readonly DatabaseName[],
  settings: Partial<ChainConfig> = {},
): Promise<CreateIndexed> {
  const originals = new Map<DatabaseName, TestDatabase>();
  for (const name of databases) {
    if (name === "SQLite") {
      originals.set(name, await sharedIndex(chain, settings));
      continue;
    }
    const original = await createDatabase(name);
    ends.push(original.remove);
    if (original.location.clickHouseUrl !== undefined) continue;
    await rebuild(chain, original.location, settings);
    originals.set(name, original);
  }
  return async (name, ownEnds) => {
    const original = originals.get(name);
    const { location, remove } = await (original ? copyDatabase(original) : createDatabase(name));
    ownEnds.push(remove);
    return location;
  };
}

/** The index of a chain's present blocks that the first test of a run creates, and that is removed after the run. */
async function sharedIndex(chain: TestChain, settings: Partial<ChainConfig>): Promise<TestDatabase> {
  const runFolder = process.env.PURSE_TEST_RUN_FOLDER;
  if (runFolder === undefined) throw new Error("the folder of the test run is not set");
  const { hash } = Object(await chain.rpc("eth_getBlockByNumber", ["latest", false]));
  const key = createHash("sha256")
    .update(JSON.stringify([chain.chainId, hash, settings]))
    .digest("hex");
  const folder = join(runFolder, `index-${key}`);
  if (!existsSync(folder)) {
    const draft = await mkdtemp(join(runFolder, "draft-"));
    await rebuild(chain, { kind: "sqlite", folder: draft }, settings);
    // Another process may have been faster.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  }
  return { location: { kind: "sqlite", folder }, remove: async () => undefined };
}
