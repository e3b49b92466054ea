import type { JsonValue } from "@purse/protocol";
import type { Call, OperationTable } from "./operation.ts";

type AnyCall = Call<Record<string, unknown>, JsonValue>;

/**
 * Operations of moralis-v1 1.13 that the data API does not have. They call the server's function of their name,
 * which the operator can define in cloud code; else they reject with 141.
 */
export interface HostedOperations {
  readonly native: {
    readonly getTransactionVerbose: Call<{ transaction_hash: string; chain?: string | number }, JsonValue>;
  };
  readonly account: {
    readonly getTransactionsVerbose: AnyCall;
    readonly getNativeBalancesForAddresses: AnyCall;
  };
  readonly token: {
    readonly getErc20Transfers: AnyCall;
    readonly getErc20Mints: AnyCall;
    readonly getErc20Burns: AnyCall;
    readonly getErc20Approvals: AnyCall;
  };
  readonly market_data: {
    readonly getTopERC20TokensByMarketCap: AnyCall;
    readonly getTopERC20TokensByPriceMovers: AnyCall;
    readonly getTopNFTCollectionsByMarketCap: AnyCall;
    readonly getHottestNFTCollectionsByTradingVolume: AnyCall;
  };
  readonly utils: {
    readonly reviewContracts: Call<{ contracts: readonly unknown[] }, JsonValue>;
  };
}

/** Where a REST service has each operation. */
export const hostedOperations = {
  native: {
    getTransactionVerbose: { route: "GET /transaction/{transaction_hash}/verbose" },
  },
  account: {
    getTransactionsVerbose: { route: "GET /{address}/verbose" },
    getNativeBalancesForAddresses: { route: "GET /wallets/balances" },
  },
  token: {
    getErc20Transfers: { route: "GET /erc20/transfers" },
    getErc20Mints: { route: "GET /erc20/mints" },
    getErc20Burns: { route: "GET /erc20/burns" },
    getErc20Approvals: { route: "GET /erc20/approvals" },
  },
  market_data: {
    getTopERC20TokensByMarketCap: { route: "GET /market-data/erc20s/top-tokens" },
    getTopERC20TokensByPriceMovers: { route: "GET /market-data/erc20s/top-movers" },
    getTopNFTCollectionsByMarketCap: { route: "GET /market-data/nfts/top-collections" },
    getHottestNFTCollectionsByTradingVolume: { route: "GET /market-data/nfts/hottest-collections" },
  },
  utils: { reviewContracts: { route: "POST /contracts-review", body: { contracts: "required" } } },
} as const satisfies OperationTable;
