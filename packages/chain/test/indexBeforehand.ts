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
 * long. `ends` remove the originals.
 */
export async function indexBeforehand(
  chain: TestChain,
  ends: (() => Promise<unknown>)[],
  databases: readonly DatabaseName[],
  settings: Partial<ChainConfig> = {},
): Promise<CreateIndexed> {
  const originals = new Map<DatabaseName, TestDatabase>();
  for (const name of databases) {
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
