/** An endpoint that clients of Moralis know and this server has no data for. */
interface MissingEndpoint {
  /** Of the cloud function, which an application can define itself. */
  name: string;
  method: "GET" | "POST";
  /** With named segments. */
  path: string;
  reason: string;
}

const NO_MARKET = "there is no data of markets beyond the pools of exchanges: getTokenPrice returns prices";
const NO_POSITIONS = "positions in protocols are not indexed: getWalletTokenBalancesPrice returns tokens";
const NO_PROFIT = "prices of the past are not stored: getWalletHistory returns what a wallet did";
const NO_SALE_PRICES = "getNFTCollectionStats and getNFTTrades return prices of sales";

/** They are rejected with a reason: an empty result would look as if there were nothing. */
export const MISSING_ENDPOINTS: readonly MissingEndpoint[] = [
  missing("getTopERC20TokensByMarketCap", "/market-data/erc20s/top-tokens", NO_MARKET),
  missing("getTopERC20TokensByPriceMovers", "/market-data/erc20s/top-movers", NO_MARKET),
  missing("getTopNFTCollectionsByMarketCap", "/market-data/nfts/top-collections", NO_MARKET),
  missing("getHottestNFTCollectionsByTradingVolume", "/market-data/nfts/hottest-collections", NO_MARKET),
  missing("getTopCryptoCurrenciesByMarketCap", "/market-data/global/market-cap", NO_MARKET),
  missing("getTopCryptoCurrenciesByTradingVolume", "/market-data/global/volume", NO_MARKET),
  missing("getDefiSummary", "/wallets/:address/defi/summary", NO_POSITIONS),
  missing("getDefiPositionsSummary", "/wallets/:address/defi/positions", NO_POSITIONS),
  missing("getDefiPositionsByProtocol", "/wallets/:address/defi/:protocol/positions", NO_POSITIONS),
  missing("getWalletProfitability", "/wallets/:address/profitability", NO_PROFIT),
  missing("getWalletProfitabilitySummary", "/wallets/:address/profitability/summary", NO_PROFIT),
  missing("getTopProfitableWalletPerToken", "/erc20/:address/top-gainers", NO_PROFIT),
  missing("getNFTContractSalePrices", "/nft/:address/price", NO_SALE_PRICES),
  missing("getNFTSalePrices", "/nft/:address/:token_id/price", NO_SALE_PRICES),
  missing(
    "getPairPrice",
    "/:token0_address/:token1_address/price",
    "getPairAddress and getPairReserves return the pair of two tokens",
  ),
  missing(
    "resolveAddressToDomain",
    "/resolve/:address/domain",
    "Unstoppable Domains are not resolved in reverse: resolveAddress returns the ENS name",
  ),
  {
    ...missing(
      "reviewContracts",
      "/contracts-review",
      "spam is marked by the lists of this server: possible_spam and verified_contract",
    ),
    method: "POST",
  },
];

function missing(name: string, path: string, reason: string): MissingEndpoint {
  return { name, method: "GET", path, reason };
}
