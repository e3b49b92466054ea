import { z } from "zod";
import { CATEGORIES } from "../decode/activity/classify.ts";
import {
  address,
  alwaysNull,
  blockFields,
  boolean,
  decimal,
  hash,
  integer,
  keptFields,
  like,
  nativeErc20Price,
  pageOf,
  poolId,
  symbol,
  text,
  time,
  transactionIndex,
} from "./responseValues.ts";

/* Responses about all that a wallet owns, did and allows. */

/** An amount in whole units, as decimal text. */
const formatted = like(z.string(), "1.25");
const usd = like(z.number(), 1.0003);
const decimals = like(z.int(), 6);
/** Logo and labels of a token contract, from lists of the operator and the rules for spam. */
const logo = like(z.string().nullable(), "https://logos.example/exm.png");
const labels = { logo, possible_spam: like(z.boolean(), false), verified_contract: boolean };
const direction = like(z.enum(["send", "receive", "self"]), "send");
const logIndex = like(z.int(), 12);

const approvedToken = z
  .object({
    address,
    name: text,
    symbol,
    ...labels,
    decimals: decimals.nullable(),
    token_id: like(decimal.nullable(), null),
    current_balance: decimal,
    current_balance_formatted: formatted,
    amount_at_risk: decimal,
    usd_price: usd.nullable(),
    usd_at_risk: usd.nullable(),
  })
  .describe(
    "The token of an approval. At risk is the smaller of allowance and balance; for NFTs, the number of tokens that the spender can take.",
  );

const approvalSpender = z
  .object({ address, address_label: like(z.string().nullable(), null) })
  .describe("Who may take the tokens.");

const walletApproval = z
  .object({
    approval_type: like(z.enum(["erc20", "nft", "nft_collection"]), "erc20"),
    transaction_hash: hash,
    log_index: logIndex,
    ...blockFields,
    value: like(decimal.nullable(), "1000000"),
    value_formatted: formatted.nullable(),
    is_unlimited: boolean,
    token: approvedToken,
    spender: approvalSpender,
  })
  .describe(
    "An open approval of a wallet, with the transaction that gave it last. The value is the allowance that is left in the token's smallest unit; null for NFTs.",
  );

const transferFields = {
  from_address: address,
  to_address: address,
  direction,
  log_index: logIndex,
};

const nativeMovement = z
  .object({
    from_address: address,
    to_address: address.nullable(),
    value: decimal,
    value_formatted: formatted,
    direction,
    internal_transaction: like(z.boolean(), false),
    token_symbol: symbol,
  })
  .describe("A transfer of native coins, in wei; internal ones were sent by contracts.");

const erc20Movement = z
  .object({
    address,
    token_name: text,
    token_symbol: symbol,
    token_logo: logo,
    token_decimals: like(decimal.nullable(), "6"),
    possible_spam: labels.possible_spam,
    verified_contract: labels.verified_contract,
    ...transferFields,
    value: decimal,
    value_formatted: formatted,
  })
  .describe("A transfer of a token from or to the wallet.");

const nftMovement = z
  .object({
    token_address: address,
    token_id: decimal,
    name: text,
    symbol,
    contract_type: like(z.string(), "ERC721"),
    amount: like(decimal, "1"),
    possible_spam: labels.possible_spam,
    verified_collection: labels.verified_contract,
    collection_logo: logo,
    ...transferFields,
  })
  .describe("A transfer of an NFT from or to the wallet.");

const approvalChange = z
  .object({
    approval_type: like(z.enum(["erc20", "nft", "nft_collection"]), "erc20"),
    token_address: address,
    token_name: text,
    token_symbol: symbol,
    token_id: like(decimal.nullable(), null),
    spender_address: address,
    value: like(decimal.nullable(), "1000000"),
    value_formatted: formatted.nullable(),
    is_unlimited: boolean,
    is_revoked: like(z.boolean(), false),
    log_index: logIndex,
  })
  .describe("An approval that the wallet gave, changed or revoked.");

const nftSale = z
  .object({
    token_address: address,
    token_ids: z.array(like(z.string(), "7")),
    seller_address: address,
    buyer_address: address,
    marketplace_address: address,
    price: decimal,
    price_formatted: formatted.nullable(),
    price_token_address: like(address.nullable(), null),
    price_symbol: symbol,
  })
  .describe("A sale of NFTs on a marketplace.");

const walletHistoryEntry = z
  .object({
    hash,
    nonce: like(decimal, "42"),
    transaction_index: transactionIndex,
    ...blockFields,
    from_address: address,
    to_address: address.nullable(),
    value: decimal,
    gas: decimal,
    gas_price: decimal,
    receipt_gas_used: decimal,
    receipt_contract_address: like(address.nullable(), null),
    receipt_status: like(decimal.nullable(), "1"),
    transaction_fee: like(z.string(), "0.00042"),
    method_label: like(z.string().nullable(), "transfer"),
    category: like(z.enum(CATEGORIES), "token send"),
    summary: like(z.string(), "Sent 1.25 EXM to 0x7de3…8686"),
    native_transfers: z.array(nativeMovement),
    erc20_transfers: z.array(erc20Movement),
    nft_transfers: z.array(nftMovement),
    approvals: z.array(approvalChange),
    nft_sales: z.array(nftSale),
    is_truncated: like(z.boolean(), false),
  })
  .describe("A transaction with all that it did to a wallet. The fee is in whole native coins.");

const walletToken = z
  .object({
    chain: like(z.string(), "0x1"),
    token_address: address,
    name: text,
    symbol,
    ...labels,
    thumbnail: alwaysNull(z.string()),
    decimals: decimals.nullable(),
    balance: decimal,
    balance_formatted: formatted,
    native_token: like(z.boolean(), false),
    usd_price: usd.nullable(),
    usd_price_24hr_percent_change: like(z.number().nullable(), -1.5),
    usd_price_24hr_usd_change: like(z.number().nullable(), -0.015),
    usd_value: like(z.number().nullable(), 12.5),
    usd_value_24hr_usd_change: like(z.number().nullable(), -0.19),
    portfolio_percentage: like(z.number().nullable(), 40),
    no_price_reason: like(z.string().nullable(), null),
  })
  .describe(
    "A balance with its value. Changes are those of the price within 24 hours. The native coin has the address 0xeeee…eeee.",
  );

const unavailableChain = z
  .object({ chain: like(z.string(), "0x1"), message: text })
  .describe("A chain that could not be read, and why.");

const chainNetWorth = z
  .object({
    chain: like(z.string(), "0x1"),
    native_balance: decimal,
    native_balance_formatted: formatted,
    native_balance_usd: like(z.string().nullable(), "1250.00"),
    token_balance_usd: like(z.string(), "12.50"),
    networth_usd: like(z.string(), "1262.50"),
    networth_24hr_usd_change: like(z.string().nullable(), "-3.20"),
    priced_tokens: like(z.int(), 2),
    unpriced_tokens: like(z.int(), 0),
  })
  .describe("What a wallet owns on one chain, in US dollars.");

const activeTransaction = z
  .object({ block_timestamp: time, block_number: decimal, transaction_hash: hash })
  .describe("When a wallet was active.");

const activeChain = z
  .object({
    chain: like(z.string(), "eth"),
    chain_id: like(z.string(), "0x1"),
    first_transaction: activeTransaction.nullable(),
    last_transaction: activeTransaction.nullable(),
    ...keptFields,
  })
  .describe(
    "A chain with the first and the last transaction from or to a wallet; null if there is none, or if it is not kept.",
  );

const count = z.object({ total: like(decimal, "7") }).describe("A number of rows.");

const tokenPriceRow = z
  .object({
    tokenAddress: address,
    tokenName: text,
    tokenSymbol: symbol,
    tokenLogo: logo,
    tokenDecimals: like(decimal.nullable(), "6"),
    possibleSpam: labels.possible_spam,
    verifiedContract: labels.verified_contract,
    nativePrice: nativeErc20Price.nullable(),
    usdPrice: usd.nullable(),
    usdPriceFormatted: like(z.string().nullable(), "1.0003"),
    "24hrPercentChange": like(z.string().nullable(), "-1.5"),
    usdPrice24hr: usd.nullable(),
    exchangeName: like(z.string().nullable(), "Uniswap v2"),
    exchangeAddress: address.nullable(),
    pairAddress: poolId.nullable(),
    pairTotalLiquidityUsd: like(z.string().nullable(), "1250000.00"),
    blockNumber: decimal,
    noPriceReason: like(z.string().nullable(), null),
  })
  .describe("The price of one whole token; null with a reason if there is none.");

const candle = z
  .object({
    timestamp: time,
    open: usd,
    high: usd,
    low: usd,
    close: usd,
    volume: like(z.number(), 12_500),
    trades: like(z.int(), 7),
  })
  .describe("Prices and volume of an interval that begins at the timestamp.");

/** By their names in the OpenAPI document. */
export const WALLET_SCHEMAS = {
  approvedToken,
  approvalSpender,
  walletApproval,
  walletApprovalCollection: pageOf(walletApproval)
    .extend({ total_usd_at_risk: like(z.number(), 12.5), block_number: decimal, ...keptFields })
    .describe("A page of open approvals at one block."),
  nativeMovement,
  erc20Movement,
  nftMovement,
  approvalChange,
  nftSale,
  walletHistoryEntry,
  walletHistoryCollection: z
    .object({
      page: integer,
      page_size: like(z.int(), 100),
      cursor: like(z.string().nullish(), ""),
      ...keptFields,
      result: z.array(walletHistoryEntry),
    })
    .describe("A page of the history of a wallet."),
  walletToken,
  unavailableChain,
  walletTokenCollection: pageOf(walletToken)
    .extend({ unavailable_chains: z.array(unavailableChain) })
    .describe("A page of the tokens of a wallet."),
  chainNetWorth,
  walletNetWorth: z
    .object({
      total_networth_usd: like(z.string(), "1262.50"),
      total_networth_24hr_usd_change: like(z.string().nullable(), "-3.20"),
      total_networth_24hr_percent_change: like(z.number().nullable(), -0.25),
      chains: z.array(chainNetWorth),
      unavailable_chains: z.array(unavailableChain),
    })
    .describe("What a wallet owns on several chains, in US dollars."),
  walletStatsCount: count,
  walletStats: z
    .object({
      nfts: like(decimal, "7"),
      collections: like(decimal, "2"),
      transactions: count,
      nft_transfers: count,
      token_transfers: count,
      ...keptFields,
    })
    .describe("Numbers of NFTs and collections that a wallet owns, and of its transactions and transfers."),
  activeTransaction,
  activeChain,
  walletChains: z
    .object({ address, active_chains: z.array(activeChain), unavailable_chains: z.array(unavailableChain) })
    .describe("The chains on which a wallet was active."),
  tokenPriceRow,
  candle,
  candleCollection: z
    .object({
      page: integer,
      page_size: like(z.int(), 100),
      cursor: like(z.string().nullish(), ""),
      pairAddress: poolId,
      tokenAddress: address,
      timeframe: like(z.string(), "1h"),
      currency: like(z.string(), "usd"),
      ...keptFields,
      result: z.array(candle),
    })
    .describe(
      "A page of price intervals of a token in a pool, latest first. Intervals without trades are left out.",
    ),
} as const;
