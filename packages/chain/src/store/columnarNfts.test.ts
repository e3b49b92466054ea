import { expect, it } from "vitest";
import { toBytes } from "../model/hexBytes.ts";
import { CLICKHOUSE } from "./clickhouse/clickhouseDialect.ts";
import { columnarTransferPositions } from "./columnarNfts.ts";
import { compileQuery, type IndexQuery } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";

const TOKEN = `0x${"ee".repeat(20)}`;
const [FIRST, SECOND] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];
const idOf = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;

/** A reader that records the text of its queries and returns the same rows for those that match. */
function readerOf(texts: string[], rowsOf: (text: string) => unknown[]): IndexReader {
  return {
    dialect: CLICKHOUSE,
    async all<Row>(source: IndexQuery<Row>): Promise<Row[]> {
      const { text } = compileQuery(CLICKHOUSE.compiler, source);
      texts.push(text);
      return rowsOf(text) as Row[];
    },
    change: async () => 0,
    close: async () => undefined,
  };
}

it("finds when NFTs in a columnar database were minted and received, by one set of their contracts and ids", async () => {
  const texts: string[] = [];
  const key = (id: number) => ({ token: toBytes(TOKEN), token_id: toBytes(idOf(id)) });
  const events = readerOf(texts, (text) =>
    text.includes("mints")
      ? [1, 2, 3].map((id) => ({
          ...key(id),
          first: id * 10,
          minted: id === 3 ? 0 : id * 10,
          mints: id === 3 ? 0 : 1,
        }))
      : [{ ...key(1), owner: toBytes(FIRST), last: 15 }],
  );
  const balances = [FIRST, SECOND, SECOND].map((owner, i) => {
    return { token: TOKEN, tokenId: idOf(i + 1), owner, standard: 721 };
  });
  expect(
    await columnarTransferPositions(
      events,
      readerOf([], () => []),
      balances,
    ),
  ).toEqual([
    { minted: 10, received: 15 },
    { minted: 20, received: undefined },
    { minted: 30, received: undefined },
  ]);
  expect(texts).toHaveLength(2);
  // Padded to four pairs. A disjunction of as many conditions takes ClickHouse several times longer to plan.
  const pairs =
    /\(token, token_id\) IN \(((?:\(unhex\(\{p\d+:String\}\), unhex\(\{p\d+:String\}\)\)(?:, )?){4})\)/;
  for (const text of texts) {
    expect(text).toMatch(pairs);
    expect(text).not.toContain(" or ");
  }
});
