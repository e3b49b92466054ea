import { describe, expect, it } from "vitest";
import { createDatabase, DATABASES } from "../../test/indexDatabase.ts";
import { indexLocationOf } from "../createChainService.ts";
import { type BlockRow, type NftTransferRow, NULL_ADDRESS, positionOf } from "../model/rows.ts";
import { openIndex } from "../store/openIndex.ts";
import { MetadataQuota } from "./metadataQuota.ts";

const [TOKEN, OTHER] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`];
const hash = `0x${"ab".repeat(32)}`;
const block: BlockRow = { number: 0, hash, parentHash: hash, timestamp: 1 };
const id = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;
const result = (length: number) => ({ metadata: `{"a":"${"x".repeat(length)}"}`, terms: "" });

function minted(token: string, n: number): NftTransferRow {
  return {
    position: positionOf(0, n),
    part: 0,
    transactionIndex: 0,
    transactionHash: hash,
    token,
    tokenId: id(n),
    standard: 721,
    isBatch: false,
    operator: null,
    from: NULL_ADDRESS,
    to: OTHER,
    amount: "1",
  };
}

describe.each(DATABASES)("the metadata quota, on %s", (database) => {
  it("limits large metadata of one collection, also after a restart, but not of others or small metadata", async () => {
    const { location, remove } = await createDatabase(database);
    const { store, writer, close } = await openIndex(indexLocationOf(location, 1), console);
    try {
      const nftTransfers = [minted(TOKEN, 1), minted(TOKEN, 2)];
      const nothing = { transactions: [], logs: [], nftRanges: [], nftUpdates: [], trades: [] };
      await writer.append(undefined, { blocks: [block], nftTransfers, ...nothing }, []);
      const large = result(60_000);
      const quota = new MetadataQuota(store.metadata, 100_000);
      expect(await quota.enforce(TOKEN, large)).toBe(large);
      const read = { key: { token: TOKEN, tokenId: id(1) }, uri: "https://a.example", result: large };
      expect(await store.metadata.saveUris([read], block, 1)).toBe(1);
      expect(await quota.enforce(TOKEN, large)).toMatchObject({ problem: expect.stringContaining("quota") });
      const later = new MetadataQuota(store.metadata, 100_000);
      expect(await later.enforce(TOKEN, large)).toHaveProperty("problem");
      const small = result(1_000);
      expect(await later.enforce(TOKEN, small)).toBe(small);
      expect(await later.enforce(OTHER, large)).toBe(large);
    } finally {
      await close();
      await remove();
    }
  });
});
