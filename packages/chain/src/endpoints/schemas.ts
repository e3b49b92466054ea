import type { JsonObject, JsonValue } from "@purse/protocol";
import { z } from "zod";
import { NFT_SCHEMAS } from "./nftSchemas.ts";
import {
  address,
  alwaysNull,
  blockFields,
  blockNumber,
  boolean,
  decimal,
  hash,
  hex,
  like,
  pageOf,
  symbol,
  text,
  time,
  transactionIndex,
} from "./responseValues.ts";

/* Responses of the endpoints, for the types of the handlers and of the client and the OpenAPI document. */

const topics = {
  topic0: hash.nullish(),
  topic1: hash.nullish(),
  topic2: hash.nullish(),
  topic3: hash.nullish(),
};

const log = z
  .object({
    log_index: like(decimal, "12"),
    transaction_hash: hash,
    transaction_index: transactionIndex,
    address,
    data: hex,
    ...topics,
    ...blockFields,
  })
  .describe("A log of a transaction.");

const transaction = z
  .object({
    hash,
    nonce: like(decimal, "42"),
    transaction_index: transactionIndex,
    from_address: address,
    to_address: address.nullish(),
    value: decimal,
    gas: decimal,
    gas_price: decimal,
    input: hex,
    receipt_cumulative_gas_used: decimal,
    receipt_gas_used: decimal,
    receipt_contract_address: like(address.nullish(), null),
    receipt_root: like(hash.nullish(), null),
    receipt_status: like(decimal.nullable(), "1"),
    ...blockFields,
  })
  .describe("A transaction with its receipt. Amounts are in wei.");

const blockTransaction = transaction
  .extend({ logs: z.array(log) })
  .describe("A transaction with receipt and logs. Amounts are in wei.");

/** Nodes of some chains do not send all fields of blocks. */
const block = z
  .object({
    timestamp: time,
    number: blockNumber,
    hash,
    parent_hash: hash,
    nonce: hex.nullish(),
    sha3_uncles: hash.nullable(),
    logs_bloom: hex.nullable(),
    transactions_root: hash.nullable(),
    state_root: hash.nullable(),
    receipts_root: hash.nullable(),
    miner: address.nullable(),
    difficulty: decimal.nullable(),
    total_difficulty: decimal.nullish(),
    size: decimal.nullable(),
    extra_data: hex.nullable(),
    gas_limit: decimal.nullable(),
    gas_used: decimal.nullable(),
    transaction_count: decimal,
    transactions: z.array(blockTransaction),
  })
  .describe("A block with its transactions.");

const logEventByAddress = z
  .object({ transaction_hash: hash, address, ...blockFields, data: hex, ...topics })
  .describe("A log of a contract.");

const erc20Transaction = z
  .object({
    transaction_hash: hash,
    address,
    ...blockFields,
    to_address: address,
    from_address: address,
    value: decimal,
  })
  .describe("A transfer of a token: address is the token, value in its smallest unit.");

const erc20Metadata = z
  .object({
    address,
    name: text,
    symbol,
    decimals: like(decimal, "6"),
    logo: alwaysNull(z.string()),
    logo_hash: alwaysNull(z.string()),
    thumbnail: alwaysNull(z.string()),
    block_number: like(decimal.nullish(), "12386788"),
    validated: like(decimal.nullish(), "1"),
  })
  .describe("A token contract.");

const nativeErc20Price = z
  .object({ value: decimal, decimals: like(z.int(), 18), name: text, symbol })
  .describe("A price in the native coin, in wei.");

/** By their names in the OpenAPI document. */
export const SCHEMAS = {
  log,
  blockTransaction,
  block,
  blockDate: z
    .object({
      date: like(z.string(), "2021-05-07T11:08:35+00:00"),
      block: like(z.int(), 12_386_788),
      timestamp: like(z.int(), 1_620_385_715),
    })
    .describe("The block nearest to a date; its timestamp in seconds since the epoch."),
  logEventByAddress,
  logCollection: pageOf(logEventByAddress).describe("A page of logs."),
  logEvent: z
    .object({
      transaction_hash: hash,
      address,
      ...blockFields,
      data: z.custom<JsonObject>().meta({
        type: "object",
        examples: [{ from: "0x7de3085b3190b3a787822ee16f23be010f5f8686", amount: "1000000" }],
      }),
    })
    .describe("A decoded event; data contains the arguments by name."),
  contractResult: z.custom<JsonValue>().meta({
    description:
      "Return value of the function: integers as decimal text, several values as an object by name.",
    examples: ["1000000"],
  }),
  transaction,
  transactionCollection: pageOf(transaction).describe("A page of transactions."),
  nativeBalance: z.object({ balance: decimal }).describe("An amount of the native coin, in wei."),
  erc20TokenBalance: z
    .object({
      token_address: address,
      name: text,
      symbol,
      logo: alwaysNull(z.string()),
      thumbnail: alwaysNull(z.string()),
      decimals: like(z.int(), 6),
      balance: decimal,
      calculated_from_transfers: boolean.nullish(),
    })
    .describe("Balance of a token in its smallest unit."),
  erc20Transaction,
  erc20TransactionCollection: pageOf(erc20Transaction).describe("A page of transfers of tokens."),
  erc20Metadata,
  erc20Allowance: z
    .object({ allowance: decimal })
    .describe("Allowance of a spender in the token's smallest unit."),
  nativeErc20Price,
  erc20Price: z
    .object({
      nativePrice: nativeErc20Price,
      usdPrice: like(z.number(), 1.0003),
      exchangeAddress: address.nullish(),
      exchangeName: like(z.string().nullish(), "Uniswap v2"),
      symbol: symbol.nullish(),
    })
    .describe("The price of one whole token."),
  ...NFT_SCHEMAS,
  resolve: z.object({ address }).describe("The address of a domain."),
  ens: z.object({ name: text }).describe("The name of an address."),
  reservesCollection: z
    .object({ reserve0: decimal, reserve1: decimal })
    .describe("Reserves of a pair, in the tokens' smallest units."),
  pair: z
    .object({ token0: erc20Metadata, token1: erc20Metadata, pairAddress: address })
    .describe("A pair and its tokens in the contract's order."),
  ipfsFile: z
    .object({
      path: like(
        z.string(),
        "https://ipfs.io/ipfs/bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/cat.json",
      ),
    })
    .describe("URL of a file."),
  web3version: z.object({ version: like(z.string(), "2.0.0") }).describe("Version of the API."),
  endpointWeight: z
    .object({
      endpoint: like(z.string(), "getNativeBalance"),
      path: like(z.string(), "/{address}/balance"),
      rateLimitWeight: like(decimal, "1"),
      price: like(decimal, "1"),
    })
    .describe("Rate limit cost of an endpoint."),
} as const;
