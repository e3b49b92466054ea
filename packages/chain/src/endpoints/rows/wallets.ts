import { z } from "zod";
import {
  address,
  addresses,
  boolean,
  chainSelector,
  choice,
  list,
  poolId,
  timeframe,
  tokenRequests,
} from "../parameterValues.ts";
import { SCHEMAS } from "../schemas.ts";
import type { EndpointRows } from "./row.ts";
import {
  atBlock,
  chain,
  cursor,
  excludeSpam,
  excludeUnverified,
  limit,
  listPage,
  range,
} from "./sharedParameters.ts";

const wallet = address.describe("Address of the wallet.");
const chains = list(chainSelector)
  .optional()
  .describe("Chains by name or id; default all that this server indexes.");
const order = choice(["desc", "asc"]).prefault("desc").describe("Sort order by block.");
const NO_INACTIVITY = { max_token_inactivity: "prices are those of pools at the requested block" };
const candles = {
  chain,
  timeframe: timeframe.prefault("1h").describe("Length of an interval."),
  currency: choice(["usd", "native"]).prefault("usd").describe("Currency of the prices and the volume."),
  from_date: range.from_date,
  to_date: range.to_date,
  limit,
  cursor,
};

/** What wallets own, did and allow, and prices for it, in match order. */
export const walletEndpoints = {
  getNativeBalancesForAddresses: {
    group: "account",
    method: "GET",
    path: "/wallets/balances",
    parameters: z.object({
      chain,
      to_block: atBlock,
      wallet_addresses: addresses.describe("Wallets; at most 100."),
    }),
    response: z.array(SCHEMAS.nativeBalances),
    weight: "3",
    about: "Returns the native balances of several wallets at one block, and their sum.",
  },
  getWalletApprovals: {
    group: "account",
    method: "GET",
    path: "/wallets/{address}/approvals",
    parameters: z.object({
      address: wallet,
      chain,
      token_addresses: addresses.optional().describe("Only these contracts; at most 100."),
      limit,
      cursor,
    }),
    response: SCHEMAS.walletApprovalCollection,
    weight: "5",
    about: "Returns the approvals of a wallet that are still open, with what is at risk, latest first.",
  },
  getWalletHistory: {
    group: "account",
    method: "GET",
    path: "/wallets/{address}/history",
    parameters: z.object({
      address: wallet,
      chain,
      ...range,
      order,
      limit: limit
        .prefault(100)
        .describe(
          "Page size; at most 100, or 25 with internal transactions that are not indexed. Pages can have fewer rows.",
        ),
      cursor,
      include_internal_transactions: boolean
        .prefault(false)
        .describe(
          "Adds the coins that contracts sent, if the node traces transactions; with the setting traces also transactions in which nothing else concerned the wallet.",
        ),
    }),
    ignored: ["nft_metadata"],
    response: SCHEMAS.walletHistoryCollection,
    weight: "5",
    about: "Returns what a wallet did and what happened to it, by transaction, latest first.",
  },
  getWalletInternalTransactions: {
    group: "account",
    method: "GET",
    path: "/wallets/{address}/internal-transactions",
    parameters: z.object({
      address: address.describe("Address of the wallet or contract."),
      chain,
      ...range,
      order,
      ...listPage,
    }),
    response: SCHEMAS.addressInternalTransactionCollection,
    weight: "5",
    about:
      "Returns the coins that contracts sent to or from an address, and the contracts that they created, latest first. Requires the setting traces.",
  },
  getPendingTransactions: {
    group: "account",
    method: "GET",
    path: "/wallets/{address}/pending",
    parameters: z.object({ address: wallet, chain, limit, cursor }),
    response: SCHEMAS.pendingTransactionCollection,
    weight: "10",
    about: "Returns the transactions of a wallet that the node has but no block yet, by nonce.",
  },
  getWalletTokenBalancesPrice: {
    group: "account",
    method: "GET",
    path: "/wallets/{address}/tokens",
    parameters: z.object({
      address: wallet,
      chain,
      chains: list(chainSelector)
        .optional()
        .describe("Several chains by name or id, or all; takes precedence over chain."),
      token_addresses: addresses.optional().describe("Only these contracts; at most 100."),
      exclude_native: choice(["true", "false"]).prefault("false").describe("Whether to omit native coins."),
      exclude_spam: excludeSpam,
      exclude_unverified_contracts: excludeUnverified,
      limit,
      cursor,
    }),
    unsupported: { ...NO_INACTIVITY, to_block: "prices and balances are those of the latest block" },
    response: SCHEMAS.walletTokenCollection,
    weight: "10",
    about: "Returns the native and ERC-20 balances of a wallet with prices, the most valuable first.",
  },
  getWalletNetWorth: {
    group: "account",
    method: "GET",
    path: "/wallets/{address}/net-worth",
    parameters: z.object({
      address: wallet,
      chains,
      exclude_spam: excludeSpam,
      exclude_unverified_contracts: excludeUnverified,
    }),
    unsupported: NO_INACTIVITY,
    response: SCHEMAS.walletNetWorth,
    weight: "20",
    about: "Returns what the native coins and tokens of a wallet are worth on several chains.",
  },
  getWalletStats: {
    group: "account",
    method: "GET",
    path: "/wallets/{address}/stats",
    parameters: z.object({ address: wallet, chain }),
    response: SCHEMAS.walletStats,
    weight: "5",
    about: "Returns how many NFTs, transactions and transfers a wallet has.",
  },
  getWalletActiveChains: {
    group: "account",
    method: "GET",
    path: "/wallets/{address}/chains",
    parameters: z.object({ address: wallet, chains }),
    response: SCHEMAS.walletChains,
    weight: "5",
    about: "Returns the chains on which a wallet was active, with its first and last transaction.",
  },
  getMultipleTokenPrices: {
    group: "token",
    method: "POST",
    path: "/erc20/prices",
    parameters: z.object({
      chain,
      tokens: tokenRequests.describe(
        "Contracts, each with an exchange and a block if required; at most 100.",
      ),
    }),
    ignored: ["include"],
    unsupported: NO_INACTIVITY,
    body: { properties: ["tokens"] },
    response: z.array(SCHEMAS.tokenPriceRow),
    weight: "10",
    about: "Returns the prices of several tokens with their change within 24 hours.",
  },
  getTokenCandlesticks: {
    group: "token",
    method: "GET",
    path: "/erc20/{address}/ohlcv",
    parameters: z.object({ address: address.describe("Contract of the token."), ...candles }),
    response: SCHEMAS.candleCollection,
    weight: "10",
    about: "Returns the price history of a token from its most liquid pool.",
  },
  getPairCandlesticks: {
    group: "defi",
    method: "GET",
    path: "/pairs/{pair_address}/ohlcv",
    parameters: z.object({
      pair_address: poolId.describe("Contract of the pair, or its id where one contract has all pools."),
      ...candles,
    }),
    response: SCHEMAS.candleCollection,
    weight: "10",
    about: "Returns the price history of a pair of an exchange.",
  },
} as const satisfies EndpointRows;
