import { sql } from "kysely";
import { expect, it } from "vitest";
import { createDatabase, DATABASES_AND_PARTITIONS } from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { type NftTransferRow, NULL_ADDRESS, positionOf } from "../model/rows.ts";
import { type ChainIndex, openIndex } from "../store/openIndex.ts";
import { openReader } from "../store/openReader.ts";
import { correctAfterOlderVersion, upgradeOwners } from "./upgradeIndex.ts";

const TOKEN = `0x${"ee".repeat(20)}`;
const [FIRST, SECOND] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];
const hashOf = (number: number) => `0x${String(number).padStart(64, "1")}`;

/** A contract that mints its token twice. */
function mint(number: number, to: string): NftTransferRow {
  return {
    position: positionOf(number, 0),
    part: 0,
    transactionIndex: 0,
    transactionHash: hashOf(number),
    token: TOKEN,
    tokenId: `0x${"5".padStart(64, "0")}`,
    standard: 721,
    isBatch: false,
    operator: null,
    from: NULL_ADDRESS,
    to,
    amount: "1",
  };
}

async function addBlocks({ writer }: ChainIndex): Promise<void> {
  const blocks = [1, 2].map((number) => ({
    number,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: number,
  }));
  const none = { transactions: [], logs: [], nftRanges: [], nftUpdates: [], trades: [] };
  const nftTransfers = [mint(1, FIRST), mint(2, SECOND)];
  await writer.append(undefined, { blocks, ...none, nftTransfers }, [
    { address: TOKEN, standard: 721, position: positionOf(1, 0) },
  ]);
}

it.each(DATABASES_AND_PARTITIONS)(
  "upgradeOwners() corrects owners on %s, and leaves the lengths of lists",
  async (name) => {
    const { location, remove } = await createDatabase(name);
    const place = indexLocationOf(location, 1);
    const log = createRecordingLogger();
    const index = await openIndex(place, log);
    const reader = await openReader(place);
    try {
      expect(await index.isLeader()).toBe(true);
      // Without a definition, the owners are those of the sums, as in earlier versions.
      await addBlocks(index);
      await index.writer.saveProperty("making", JSON.stringify({ layout: 6, scope: "chain", startBlock: 0 }));
      const owners = async () =>
        (await reader.all(sql<{ owner: Uint8Array }>`SELECT owner FROM nft_balances ORDER BY owner`)).map(
          ({ owner }) => `0x${Buffer.from(owner).toString("hex")}`,
        );
      const counts = () => reader.all(sql`SELECT list, n FROM list_counts ORDER BY list, key, detail`);
      const before = await counts();
      expect(before.length).toBeGreaterThan(0);
      expect(await owners()).toEqual([FIRST, SECOND]);
      const upgrade = (target: string) =>
        upgradeOwners({
          store: index.store,
          writer: index.writer,
          context: { chainId: 1 },
          target,
          isFullIndex: true,
          chainName: "local",
          log,
          assertCanContinue: async () => undefined,
        });
      await upgrade("new");
      expect(await owners()).toEqual([SECOND]);
      expect(await counts()).toEqual(before);
      expect((await index.store.properties()).get("owners")).toBe(
        JSON.stringify({ target: "new", block: 3 }),
      );
    } finally {
      await reader.close();
      await index.close();
      await remove();
    }
  },
);

it("correctAfterOlderVersion() corrects owners after terms of processes that do not save their number", async () => {
  const { location, remove } = await createDatabase("PostgreSQL");
  const place = indexLocationOf(location, 1);
  const log = createRecordingLogger();
  const index = await openIndex(place, log);
  const reader = await openReader(place);
  try {
    expect(await index.isLeader()).toBe(true);
    await addBlocks(index);
    const { store, writer } = index;
    await writer.saveProperty(
      "making",
      JSON.stringify({ layout: 6, revision: 7, scope: "chain", startBlock: 0 }),
    );
    const options = { store, writer, context: { chainId: 1 }, target: "new", isFullIndex: true };
    const correct = (term: number) =>
      correctAfterOlderVersion(
        { ...options, chainName: "local", log, assertCanContinue: async () => undefined },
        term,
      );
    const owners = () => reader.all(sql<{ owner: Uint8Array }>`SELECT owner FROM nft_balances`);
    const facts = async () => {
      const found = await store.properties();
      return [found.get("term"), found.get("owners")];
    };
    const corrected = JSON.stringify({ target: "new", block: 3 });
    await writer.saveProperty("term", "4");
    await correct(5);
    expect(await owners()).toHaveLength(2);
    expect(await facts()).toEqual(["5", corrected]);
    // Another process was the leader in term 6.
    await correct(7);
    expect(await owners()).toHaveLength(1);
    expect(await facts()).toEqual(["7", corrected]);
  } finally {
    await reader.close();
    await index.close();
    await remove();
  }
});
