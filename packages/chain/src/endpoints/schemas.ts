import type { JsonObject, JsonValue } from "@purse/protocol";
import { z } from "zod";
import { CONTRACT_SCHEMAS } from "./contractSchemas.ts";
import { INTERNAL_SCHEMAS } from "./internalSchemas.ts";
import { NFT_SCHEMAS } from "./nftSchemas.ts";
import { PENDING_SCHEMAS } from "./pendingSchemas.ts";
import {
  address,
  alwaysNull,
  blockFields,
  blockNumber,
  boolean,
  decimal,
  hash,
  hex,
  keptFields,
  like,
  listOf,
  nativeErc20Price,
  pageOf,
  poolId,
  symbol,
  text,
  time,
  transactionIndex,
} from "./responseValues.ts";
import { USER_OPERATION_SCHEMAS } from "./userOperationSchemas.ts";
import { WALLET_SCHEMAS } from "./walletSchemas.ts";

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

const authorization = z
  .object({
    chain_id: like(decimal, "1"),
    address,
    nonce: like(decimal, "0"),
    y_parity: like(decimal, "0"),
    r: hash,
    s: hash,
  })
  .describe("Permission of an account to execute the code of a contract (EIP-7702).");

/** What only some transactions have. */
const transactionDetails = {
  blob_versioned_hashes: z.array(hash).optional(),
  max_fee_per_blob_gas: decimal.nullish(),
  blob_gas_used: decimal.nullish(),
  blob_gas_price: decimal.nullish(),
  authorization_list: z.array(authorization).optional(),
  l1_fee: decimal.optional(),
  l1_gas_price: decimal.optional(),
  l1_gas_used: decimal.optional(),
};

const withdrawal = z
  .object({ index: decimal, validator_index: decimal, address, amount: decimal })
  .describe("A withdrawal of stake (EIP-4895); the amount is in wei.");

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
    type: like(decimal.nullish(), "2"),
    max_fee_per_gas: decimal.nullish(),
    max_priority_fee_per_gas: decimal.nullish(),
    effective_gas_price: decimal.nullish(),
    ...transactionDetails,
    ...blockFields,
  })
  .describe("A transaction with its receipt. Amounts are in wei.");

const internalTransaction = z
  .object({
    transaction_hash: hash,
    block_number: blockNumber,
    block_hash: hash,
    type: like(z.string(), "CALL"),
    from: address,
    to: address.nullable(),
    value: decimal,
    gas: decimal,
    gas_used: decimal,
    input: hex,
    output: hex,
    error: like(z.string().nullable(), null),
    depth: like(z.int(), 0),
  })
  .describe(
    "A call between contracts in a transaction; the value is in wei. Calls are in execution order, those of the called contract have depth 0.",
  );

const blockTransaction = transaction
  .extend({ logs: z.array(log), internal_transactions: z.array(internalTransaction).optional() })
  .describe("A transaction with receipt and logs. Amounts are in wei.");

const decoded = z
  .object({
    signature: like(z.string(), "Transfer(address,address,uint256)"),
    label: like(z.string(), "Transfer"),
    type: like(z.enum(["event", "function"]), "event"),
    params: z.array(
      z.object({
        name: like(z.string(), "to"),
        value: z.string(),
        type: like(z.string(), "address"),
      }),
    ),
  })
  .describe("A decoded log or call of a token or a wrapped coin; null for others.");
const blockTransactionDecoded = blockTransaction
  .extend({
    decoded_call: decoded.nullable(),
    logs: z.array(log.extend({ decoded_event: decoded.nullable() })),
  })
  .describe("A transaction with receipt, call and logs. Amounts are in wei.");

const erc20Activity = z
  .object({
    token_name: text,
    token_symbol: symbol,
    token_logo: like(z.string().nullish(), "https://logo.example/coin.png"),
    token_decimals: like(decimal.nullable(), "18"),
    contract_address: address,
    transaction_hash: hash,
    transaction_index: like(z.int(), 3),
    log_index: like(z.int(), 12),
    ...blockFields,
    from_wallet: address,
    to_wallet: address,
    value: decimal,
    possible_spam: boolean,
    verified_contract: boolean,
  })
  .describe("A transfer or an approval of a token; the value is in its smallest unit.");

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
    base_fee_per_gas: decimal.nullish(),
    blob_gas_used: decimal.nullish(),
    excess_blob_gas: decimal.nullish(),
    withdrawals_root: hash.nullish(),
    withdrawals: z.array(withdrawal).optional(),
    transaction_count: decimal,
    transactions: z.array(blockTransaction),
  })
  .describe("A block with its transactions.");

const logEventByAddress = z
  .object({ transaction_hash: hash, address, ...blockFields, data: hex, ...topics })
  .describe("A log of a contract.");

const logEvent = z
  .object({
    transaction_hash: hash,
    address,
    ...blockFields,
    data: z.custom<JsonObject>().meta({
      type: "object",
      examples: [{ from: "0x7de3085b3190b3a787822ee16f23be010f5f8686", amount: "1000000" }],
    }),
  })
  .describe("A decoded event; data contains the arguments by name.");

const erc20Transaction = z
  .object({
    transaction_hash: hash,
    address,
    ...blockFields,
    to_address: address,
    from_address: address,
    value: decimal,
    log_index: like(z.int(), 12),
  })
  .describe("A transfer of a token: address is the token, value in its smallest unit.");

/** Logo and labels of a token contract. */
const labels = {
  logo: like(z.string().nullish(), "https://logo.example/token.png"),
  possible_spam: boolean.nullish(),
  verified_contract: boolean.nullish(),
};

const erc20Metadata = z
  .object({
    address,
    name: text,
    symbol,
    decimals: like(decimal.nullable(), "6"),
    ...labels,
    logo_hash: alwaysNull(z.string()),
    thumbnail: alwaysNull(z.string()),
    block_number: like(decimal.nullish(), "12386788"),
    validated: like(decimal.nullish(), "1"),
    contract_type: like(z.string().nullish(), "ERC721"),
  })
  .describe("A token contract. contract_type: only of NFT collections.");

const erc20Owner = z
  .object({
    owner_address: address,
    owner_address_label: alwaysNull(z.string()),
    entity: alwaysNull(z.string()),
    entity_logo: alwaysNull(z.string()),
    is_contract: alwaysNull(z.boolean()),
    balance: decimal,
    balance_formatted: like(z.string().nullable(), "1.5"),
    usd_value: alwaysNull(z.string()),
    percentage_relative_to_total_supply: like(z.number(), 12.5),
    calculated_from_transfers: boolean.nullish(),
  })
  .describe(
    "An owner of a token with the balance in its smallest unit and the share of the total supply in percent. calculated_from_transfers: the sum of the transfers may differ from the contract's balance.",
  );

const erc20HolderCount = z
  .object({
    timestamp: time,
    totalHolders: like(z.int(), 1200),
    netHolderChange: like(z.int(), 10),
    holderPercentChange: like(z.number(), 0.84),
  })
  .describe("The number of holders at a time, and its change since the row before in time.");

const erc20Count = z.object({ total: like(z.int(), 1) }).describe("A number of rows.");

/** By their names in the OpenAPI document. */
export const SCHEMAS = {
  log,
  internalTransaction,
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
  logCollection: listOf(logEventByAddress).describe("A page of logs."),
  logEvent,
  logEventCollection: listOf(logEvent).describe("A page of decoded events."),
  contractResult: z.custom<JsonValue>().meta({
    description:
      "Return value of the function: integers as decimal text, several values as an object by name.",
    examples: ["1000000"],
  }),
  transaction,
  blockTransactionDecoded,
  transactionsDecoded: listOf(blockTransactionDecoded).describe("A page of transactions with their logs."),
  blockStats: z
    .object({
      transactions: z.object({ total: decimal }),
      nft_transfers: z.object({ total: decimal }),
      token_transfers: z.object({ total: decimal }),
    })
    .describe("Numbers of the transactions and transfers of a block."),
  erc20Transfers: listOf(erc20Activity).describe("A page of transfers or approvals of tokens."),
  erc20Mints: listOf(erc20Activity.omit({ from_wallet: true })).describe("A page of mints of tokens."),
  erc20Burns: listOf(erc20Activity.omit({ to_wallet: true })).describe("A page of burns of tokens."),
  nativeBalances: z
    .object({
      chain: like(z.string(), "eth"),
      chain_id: like(hex, "0x1"),
      total_balance: decimal,
      total_balance_formatted: like(z.string(), "1.5"),
      block_number: blockNumber,
      block_timestamp: time,
      wallet_balances: z.array(
        z.object({ address, balance: decimal, balance_formatted: like(z.string(), "1.5") }),
      ),
    })
    .describe("Native balances of wallets at one block."),
  transactionCollection: listOf(transaction).describe("A page of transactions."),
  nativeBalance: z.object({ balance: decimal }).describe("An amount of the native coin, in wei."),
  erc20TokenBalance: z
    .object({
      token_address: address,
      name: text,
      symbol,
      ...labels,
      thumbnail: alwaysNull(z.string()),
      decimals: like(z.int().nullable(), 6),
      balance: decimal,
      calculated_from_transfers: boolean.nullish(),
    })
    .describe("Balance of a token in its smallest unit."),
  erc20Transaction,
  erc20TransactionCollection: listOf(erc20Transaction).describe("A page of transfers of tokens."),
  erc20Metadata,
  erc20Owner,
  erc20Count,
  erc20OwnerCollection: pageOf(erc20Owner)
    .extend({ total_supply: decimal })
    .describe("A page of owners; total is the number of all owners."),
  erc20HolderCount,
  erc20HolderHistory: z
    .object({ result: z.array(erc20HolderCount) })
    .describe("The numbers of holders of a token at the end of intervals."),
  erc20Stats: z
    .object({
      token_address: address,
      holders: erc20Count,
      transfers: erc20Count,
      total_supply: decimal,
      total_supply_formatted: like(z.string().nullable(), "1000000.0"),
      creator_address: address.nullable(),
      creation_block_number: like(decimal.nullable(), "12386788"),
      creation_transaction_hash: hash.nullable(),
      calculated_from_transfers: boolean.nullish(),
      ...keptFields,
    })
    .describe(
      "Figures of a token. The creator is null if another contract created it. calculated_from_transfers: minted minus burned amounts differ from the total supply.",
    ),
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
  ...CONTRACT_SCHEMAS,
  ...NFT_SCHEMAS,
  ...WALLET_SCHEMAS,
  ...USER_OPERATION_SCHEMAS,
  ...INTERNAL_SCHEMAS,
  ...PENDING_SCHEMAS,
  resolve: z.object({ address }).describe("The address of a domain."),
  ens: z.object({ name: text }).describe("The name of an address."),
  reservesCollection: z
    .object({ reserve0: decimal, reserve1: decimal })
    .describe("Reserves of a pair, in the tokens' smallest units."),
  pair: z
    .object({ token0: erc20Metadata, token1: erc20Metadata, pairAddress: poolId })
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
