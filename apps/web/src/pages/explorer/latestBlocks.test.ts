import type { Block } from "@purse/client";
import { describe, expect, it } from "vitest";
import { latestBlocks, type ReadBlocks } from "./latestBlocks.ts";

const PARAMS = { chain: "0x539", count: 3, transactions: 2 };

/** A chain whose blocks have a transaction if `hasTransaction` returns true, and the requests for them. */
function chainOf(hasTransaction: (number: number) => boolean) {
  const requests: (readonly number[])[] = [];
  let fork = "";
  const blockAt = (number: number): Block =>
    JSON.parse(
      JSON.stringify({
        number: String(number),
        hash: `${number}${fork}`,
        parent_hash: `${number - 1}${fork}`,
        transactions: hasTransaction(number) ? [{ hash: `tx${number}` }] : [],
      }),
    );
  const read: ReadBlocks = async (_, numbers) => {
    requests.push(numbers);
    return numbers.map(blockAt);
  };
  return {
    requests,
    read,
    reorganize: () => {
      fork = "b";
    },
  };
}

describe("the latest blocks", () => {
  it("are only the requested number if they have enough transactions", async () => {
    const { read, requests } = chainOf(() => true);
    const blocks = await latestBlocks(read)({ ...PARAMS, head: 9 });
    expect(blocks.map(({ number }) => number)).toEqual(["9", "8", "7"]);
    expect(requests).toEqual([[9, 8, 7]]);
  });

  it("include older blocks until there are enough transactions, down to block 0", async () => {
    const { read, requests } = chainOf((number) => number === 1);
    const blocks = await latestBlocks(read)({ ...PARAMS, head: 5 });
    expect(blocks).toHaveLength(6);
    expect(requests).toEqual([
      [5, 4, 3],
      [2, 1, 0],
    ]);
  });

  it("reuse blocks that were read before, and read them again after a reorganization", async () => {
    const { read, requests, reorganize } = chainOf(() => true);
    const latest = latestBlocks(read);
    await latest({ ...PARAMS, head: 9 });
    await latest({ ...PARAMS, head: 10 });
    reorganize();
    const blocks = await latest({ ...PARAMS, head: 11 });
    expect(requests).toEqual([[9, 8, 7], [10], [11], [11, 10, 9]]);
    expect(blocks.map(({ hash }) => hash)).toEqual(["11b", "10b", "9b"]);
  });
});
