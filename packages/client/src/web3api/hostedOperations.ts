import type { JsonValue } from "@purse/protocol";
import type { Call, OperationNames } from "./operation.ts";

type AnyCall = Call<Record<string, unknown>, JsonValue>;

/**
 * Operations of moralis-v1 1.13 that the data API does not have. They call the server's function of their name,
 * which the operator can define in cloud code; else they reject with 141.
 */
export interface HostedOperations {
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

export const hostedOperations: OperationNames<keyof HostedOperations> = {
  market_data:
    "getTopERC20TokensByMarketCap getTopERC20TokensByPriceMovers getTopNFTCollectionsByMarketCap getHottestNFTCollectionsByTradingVolume",
  utils: "reviewContracts",
};
