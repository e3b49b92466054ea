import type { JsonObject } from "@purse/protocol";
import { type BlockRow, blockOf, type TradeRow } from "../model/rows.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import { assertIndexed, assertWhole, type ChainOf, type FollowedChain, notFound } from "./chainContext.ts";
import { placeOf, readList } from "./lists.ts";
import { routeOf } from "./routes.ts";

const DAY_SECONDS = 86_400;

/** What tokens of collections were sold for. */
export function tradeRoutes(chainOf: ChainOf) {
  return [
    routeOf("getNFTTrades", async ({ chain: selector, address, marketplace, ...parameters }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the sales of a collection");
      const places = addressesOf(chain, marketplace);
      const { rows, blocks, page } = await readList<TradeRow>(chain, parameters, (window) =>
        chain.store.trades(address, places, window),
      );
      return page(rows.map((row) => tradeObject(row, blocks)));
    }),
    routeOf("getNFTLowestPrice", async ({ chain: selector, address, marketplace, days }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the sales of a collection");
      const since = Math.floor(Date.now() / 1000) - days * DAY_SECONDS;
      const first = await chain.store.blockAfter(since);
      const found =
        first && (await chain.store.lowestTrade(address, addressesOf(chain, marketplace), first.number));
      if (!found) {
        assertIndexed(chain);
        throw notFound(
          `no token of ${address} was sold for ${marketOf(chain.config).coin.symbol} on ${marketplace} in the last ${days} days`,
        );
      }
      return tradeObject(found, await chain.store.blocks([blockOf(found.position)]));
    }),
  ];
}

/** The contracts of a marketplace on a chain. */
function addressesOf({ config }: FollowedChain, marketplace: string): string[] {
  return marketOf(config).marketplaces.flatMap(({ name, address }) =>
    name === marketplace ? [address] : [],
  );
}

function tradeObject(row: TradeRow, blocks: Map<number, BlockRow>): JsonObject {
  return {
    transaction_hash: row.transactionHash,
    transaction_index: String(row.transactionIndex),
    token_ids: row.tokenIds,
    seller_address: row.seller,
    buyer_address: row.buyer,
    token_address: row.token,
    marketplace_address: row.marketplace,
    price_token_address: row.priceToken,
    price: BigInt(row.price).toString(),
    ...placeOf(blocks, row.position),
  };
}
