import type { Address } from "viem";
import { expect } from "vitest";
import { allRows, fieldsOf, type Questioner, type Questions } from "./randomQuestions.ts";
import type { Sale } from "./randomScenario.ts";

/** Questions about the sales of a collection; `sales` are all of them, earliest first. */
export function saleQuestions(asker: Questioner, collection: Address, sales: readonly Sale[]): Questions {
  const of = { address: collection };
  return {
    async "the sales of a collection"() {
      const rows = await allRows(asker, "getNFTTrades", of);
      const answered = rows.map(
        ({ seller_address, buyer_address, price, token_ids, price_token_address }) => ({
          seller: seller_address,
          buyer: buyer_address,
          price,
          id: String(token_ids),
          isPaidInCoins: price_token_address === null,
        }),
      );
      expect(answered).toEqual([...sales].reverse());
    },
    async "the lowest price of a collection"() {
      const prices = sales.flatMap(({ isPaidInCoins, price }) => (isPaidInCoins ? [BigInt(price)] : []));
      const lowest = prices.reduce((low, price) => (price < low ? price : low));
      const { price, price_token_address } = await fieldsOf(asker, "getNFTLowestPrice", of);
      expect([price, price_token_address]).toEqual([String(lowest), null]);
    },
    async "the sums of the sales of a collection"() {
      const { sales: counts, volume, floor_price } = await fieldsOf(asker, "getNFTCollectionStats", of);
      // The wrapped coin counts as the coin.
      const prices = sales.map(({ price }) => BigInt(price));
      expect([Object(counts).total, volume, floor_price]).toEqual([
        String(sales.length),
        String(prices.reduce((sum, price) => sum + price, 0n)),
        String(prices.reduce((low, price) => (price < low ? price : low))),
      ]);
    },
  };
}
