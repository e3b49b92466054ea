import type { Marketplace } from "../model/chainConfig.ts";
import { notFound } from "../model/requestErrors.ts";
import { type BlockRow, blockOf, type TradeRow } from "../model/rows.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import { type ChainContext, requireSynced, type SelectChain, selectFullIndex } from "./chainContext.ts";
import { withKeptEvents } from "./eventRetention.ts";
import { blockFields, readList } from "./pagination.ts";
import type { Handlers } from "./routes.ts";

const DAY_SECONDS = 86_400;

/** Sales of NFTs. */
export function tradeHandlers(selectChain: SelectChain) {
  return {
    getNFTTrades: async ({ chain: selector, address, marketplace, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the sales of a collection");
      const marketplaceAddresses = marketplaceContracts(chain, marketplace);
      const { rows, blocks, page } = await readList<TradeRow>(chain, parameters, (window) =>
        chain.store.trades.list(address, marketplaceAddresses, window),
      );
      return page(rows.map((row) => tradeToJson(row, blocks)));
    },
    getNFTTradesByToken: async ({ chain: selector, address, token_id, marketplace, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the sales of a token");
      const marketplaceAddresses = marketplaceContracts(chain, marketplace);
      const { rows, blocks, page } = await readList<TradeRow>(chain, parameters, (window) =>
        chain.store.trades.list(address, marketplaceAddresses, window, token_id),
      );
      return page(rows.map((row) => tradeToJson(row, blocks)));
    },
    getNFTLowestPrice: async ({ chain: selector, address, marketplace, days }) => {
      const chain = await selectFullIndex(selectChain, selector, "the sales of a collection");
      const since = Math.floor(Date.now() / 1000) - days * DAY_SECONDS;
      const first = await chain.store.blockAfter(since);
      const found =
        first &&
        (await withKeptEvents(chain, first.number, "the sales of that many days", () =>
          chain.store.trades.lowest(address, marketplaceContracts(chain, marketplace), first.number),
        ));
      if (!found) {
        requireSynced(chain);
        const place = marketplace === "all" ? "any marketplace" : marketplace;
        throw notFound(
          `no sale of ${address} for ${marketOf(chain.config).coin.symbol} on ${place} in the last ${days} days`,
        );
      }
      return tradeToJson(found, await chain.store.blocks([blockOf(found.position)]));
    },
  } satisfies Partial<Handlers>;
}

/** The contracts of a marketplace, or of all, on a chain. */
export function marketplaceContracts(
  { config }: ChainContext,
  marketplace: Marketplace["name"] | "all",
): Marketplace[] {
  const { marketplaces } = marketOf(config);
  return marketplaces.filter(({ name }) => marketplace === "all" || name === marketplace);
}

export function tradeToJson(row: TradeRow, blocks: Map<number, BlockRow>) {
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
    ...blockFields(blocks, row.position),
  };
}
