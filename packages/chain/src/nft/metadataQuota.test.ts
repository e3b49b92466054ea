import { describe, expect, it } from "vitest";
import { type BlockRow, type NftTransferRow, NULL_ADDRESS, positionOf } from "../model/rows.ts";
import { placeOf } from "../service.ts";
import { openIndex } from "../store/openIndex.ts";
import { DATABASES, newDatabase } from "../testing/testChain.ts";
import { MetadataSpace } from "./metadataQuota.ts";

const [TOKEN, OTHER] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`];
const hash = `0x${"ab".repeat(32)}`;
const block: BlockRow = { number: 0, hash, parentHash: hash, timestamp: 1 };
const id = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;
const outcome = (length: number) => ({ metadata: `{"a":"${"x".repeat(length)}"}`, words: "" });

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

describe.each(DATABASES)("the room for metadata, on %s", (database) => {
  it("is bounded for large metadata of one collection, also after a restart, and not for others or small ones", async () => {
    const { place, remove } = await newDatabase(database);
    const { store, writer, close } = await openIndex(placeOf(place, 1), console);
    try {
      const nftTransfers = [minted(TOKEN, 1), minted(TOKEN, 2)];
      const nothing = { transactions: [], logs: [], nftRanges: [], nftUpdates: [], trades: [] };
      await writer.append(undefined, { blocks: [block], nftTransfers, ...nothing }, []);
      const large = outcome(60_000);
      const space = new MetadataSpace(store.metadata, 100_000);
      expect(await space.fitting(TOKEN, large)).toBe(large);
      const read = { key: { token: TOKEN, tokenId: id(1) }, uri: "https://a.example", outcome: large };
      expect(await store.metadata.saveUris([read], block, 1)).toBe(1);
      expect(await space.fitting(TOKEN, large)).toMatchObject({ problem: expect.stringContaining("room") });
      const later = new MetadataSpace(store.metadata, 100_000);
      expect(await later.fitting(TOKEN, large)).toHaveProperty("problem");
      const small = outcome(1_000);
      expect(await later.fitting(TOKEN, small)).toBe(small);
      expect(await later.fitting(OTHER, large)).toBe(large);
    } finally {
      await close();
      await remove();
    }
  });
});
