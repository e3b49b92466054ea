import type { Operation } from "./operation.ts";

/** Where a REST service has the operations that the data API does not have. */
export const hostedRoutes: Readonly<Record<string, Operation>> = {
  getTopERC20TokensByMarketCap: { route: "GET /market-data/erc20s/top-tokens" },
  getTopERC20TokensByPriceMovers: { route: "GET /market-data/erc20s/top-movers" },
  getTopNFTCollectionsByMarketCap: { route: "GET /market-data/nfts/top-collections" },
  getHottestNFTCollectionsByTradingVolume: { route: "GET /market-data/nfts/hottest-collections" },
  reviewContracts: { route: "POST /contracts-review", body: { contracts: "required" } },
  "sol-balance": { route: "GET /account/{network}/{address}/balance" },
  "sol-getSPL": { route: "GET /account/{network}/{address}/tokens" },
  "sol-getNFTs": { route: "GET /account/{network}/{address}/nft" },
  "sol-getPortfolio": { route: "GET /account/{network}/{address}/portfolio" },
  "sol-getNFTMetadata": { route: "GET /nft/{network}/{address}/metadata" },
  "sol-getTokenPrice": { route: "GET /token/{network}/{address}/price" },
};
