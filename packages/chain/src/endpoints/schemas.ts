/*
 * What the endpoints answer, field by field: the part of the OpenAPI description and of the client's types that
 * is about answers.
 */

/** What a field holds; with a question mark behind it the field may also be null, or not be there. */
export type Scalar =
  /** A whole number of any size as decimal text: amounts, block numbers, gas. */
  | "decimal"
  | "text"
  /** ISO 8601 in UTC, with milliseconds. */
  | "time"
  /** In lower case. */
  | "address"
  /** 32 bytes. */
  | "hash"
  | "hex"
  | "integer"
  | "number"
  | "boolean"
  /** JSON as text. */
  | "json"
  /** Any JSON object. */
  | "object";

export type FieldType = Scalar | `${Scalar}?` | { readonly list: string } | { readonly of: string };

export type Fields = Readonly<Record<string, FieldType>>;

export type Schema = { readonly about: string } & (
  | { readonly fields: Fields }
  /** A page of rows of another schema, and what the page has beside the usual. */
  | { readonly pageOf: string; readonly fields?: Fields }
  | { readonly text: true }
);

/** Where a row is in the chain. */
const place = { block_timestamp: "time", block_number: "decimal", block_hash: "hash" } as const;
const topics = { topic0: "hash?", topic1: "hash?", topic2: "hash?", topic3: "hash?" } as const;

const transaction = {
  hash: "hash",
  nonce: "decimal",
  transaction_index: "decimal",
  from_address: "address",
  to_address: "address?",
  value: "decimal",
  gas: "decimal",
  gas_price: "decimal",
  input: "hex",
  receipt_cumulative_gas_used: "decimal",
  receipt_gas_used: "decimal",
  receipt_contract_address: "address?",
  receipt_root: "hash?",
  receipt_status: "decimal",
  ...place,
} as const;

const erc20Metadata = {
  address: "address",
  name: "text",
  symbol: "text",
  decimals: "decimal",
  logo: "text?",
  logo_hash: "text?",
  thumbnail: "text?",
  block_number: "decimal?",
  validated: "decimal?",
} as const;

const nft = { token_address: "address", token_id: "text", contract_type: "text" } as const;
const nftMetadata = { token_uri: "text?", metadata: "json?", synced_at: "time?" } as const;

export const SCHEMAS = {
  log: {
    about: "A log of a transaction.",
    fields: {
      log_index: "decimal",
      transaction_hash: "hash",
      transaction_index: "decimal",
      address: "address",
      data: "hex",
      ...topics,
      ...place,
    },
  },
  blockTransaction: {
    about: "A transaction with its receipt and its logs. Amounts are in wei.",
    fields: { ...transaction, logs: { list: "log" } },
  },
  block: {
    about: "A block with its transactions.",
    fields: {
      timestamp: "time",
      number: "decimal",
      hash: "hash",
      parent_hash: "hash",
      nonce: "hex?",
      sha3_uncles: "hash",
      logs_bloom: "hex",
      transactions_root: "hash",
      state_root: "hash",
      receipts_root: "hash",
      miner: "address",
      difficulty: "decimal",
      total_difficulty: "decimal?",
      size: "decimal",
      extra_data: "hex",
      gas_limit: "decimal",
      gas_used: "decimal",
      transaction_count: "decimal",
      transactions: { list: "blockTransaction" },
    },
  },
  blockDate: {
    about: "The block nearest to a date; its timestamp in seconds since the epoch.",
    fields: { date: "text", block: "integer", timestamp: "integer" },
  },
  logEventByAddress: {
    about: "A log of a contract.",
    fields: { transaction_hash: "hash", address: "address", ...place, data: "hex", ...topics },
  },
  logCollection: { about: "A page of logs.", pageOf: "logEventByAddress" },
  logEvent: {
    about: "A decoded event; data has its arguments by their names.",
    fields: { transaction_hash: "hash", address: "address", ...place, data: "object" },
  },
  contractResult: {
    about: "What the function answers, as text; JSON text where it answers several values.",
    text: true,
  },
  transaction: {
    about: "A transaction with its receipt. Amounts are in wei.",
    fields: transaction,
  },
  transactionCollection: { about: "A page of transactions.", pageOf: "transaction" },
  nativeBalance: { about: "An amount of the chain's own coin, in wei.", fields: { balance: "decimal" } },
  erc20TokenBalance: {
    about: "What a wallet has of a token, in its smallest unit.",
    fields: {
      token_address: "address",
      name: "text",
      symbol: "text",
      logo: "text?",
      thumbnail: "text?",
      decimals: "integer",
      balance: "decimal",
      calculated_from_transfers: "boolean?",
    },
  },
  erc20Transaction: {
    about: "A transfer of a token: address is the token, value in its smallest unit.",
    fields: {
      transaction_hash: "hash",
      address: "address",
      ...place,
      to_address: "address",
      from_address: "address",
      value: "decimal",
    },
  },
  erc20TransactionCollection: { about: "A page of transfers of tokens.", pageOf: "erc20Transaction" },
  erc20Metadata: { about: "A token's contract.", fields: erc20Metadata },
  erc20Allowance: {
    about: "What a spender may move, in the token's smallest unit.",
    fields: { allowance: "decimal" },
  },
  nativeErc20Price: {
    about: "A price in the chain's own coin, in wei.",
    fields: { value: "decimal", decimals: "integer", name: "text", symbol: "text" },
  },
  erc20Price: {
    about: "The price of one whole token.",
    fields: {
      nativePrice: { of: "nativeErc20Price" },
      usdPrice: "number",
      exchangeAddress: "address?",
      exchangeName: "text?",
      symbol: "text?",
    },
  },
  nft: {
    about: "An NFT; its metadata is JSON text.",
    fields: {
      ...nft,
      ...nftMetadata,
      amount: "decimal?",
      name: "text?",
      symbol: "text?",
      royalty_receiver: "address?",
      royalty_basis_points: "integer?",
    },
  },
  nftCollection: { about: "A page of NFTs.", pageOf: "nft" },
  nftMetadata: {
    about: "An NFT's metadata, which is JSON text.",
    fields: { ...nft, ...nftMetadata, token_hash: "text?" },
  },
  nftMetadataCollection: { about: "A page of NFTs' metadata.", pageOf: "nftMetadata" },
  nftOwner: {
    about: "An NFT and who owns it; its metadata is JSON text.",
    fields: {
      ...nft,
      owner_of: "address",
      block_number: "decimal",
      block_number_minted: "decimal",
      ...nftMetadata,
      amount: "decimal?",
      name: "text?",
      symbol: "text?",
    },
  },
  nftOwnerCollection: {
    about:
      "A page of NFTs and their owners; status is SYNCED, SYNCING while the index is not complete, or PARTIAL where the collection has tokens that are not listed one by one.",
    pageOf: "nftOwner",
    fields: { status: "text?" },
  },
  nftTransfer: {
    about: "An NFT that was moved; value is what was paid to the contract, in wei.",
    fields: {
      token_address: "address",
      token_id: "text",
      from_address: "address?",
      to_address: "address",
      value: "decimal?",
      amount: "decimal?",
      contract_type: "text",
      ...place,
      transaction_hash: "hash",
      transaction_type: "text?",
      transaction_index: "decimal?",
      log_index: "integer",
      operator: "address?",
    },
  },
  nftTransferCollection: {
    about: "A page of NFTs that were moved.",
    pageOf: "nftTransfer",
    fields: { block_exists: "boolean?", index_complete: "boolean?" },
  },
  nftContractMetadata: {
    about: "A collection's contract.",
    fields: {
      token_address: "address",
      name: "text?",
      synced_at: "time?",
      symbol: "text?",
      contract_type: "text",
    },
  },
  metadataResync: { about: "What has become of the request.", fields: { status: "text" } },
  accepted: { about: "An object without anything in it.", fields: {} },
  trade: {
    about: "A sale; its price is in wei, or in the smallest unit of the token that it was paid with.",
    fields: {
      transaction_hash: "hash",
      transaction_index: "decimal",
      token_ids: { list: "text" },
      seller_address: "address",
      buyer_address: "address",
      marketplace_address: "address",
      price_token_address: "address?",
      price: "decimal",
      ...place,
      token_address: "address",
    },
  },
  tradeCollection: { about: "A page of sales.", pageOf: "trade" },
  resolve: { about: "The address of a domain.", fields: { address: "address" } },
  ens: { about: "The name of an address.", fields: { name: "text" } },
  reservesCollection: {
    about: "What a pair holds of its two tokens, each in its smallest unit.",
    fields: { reserve0: "decimal", reserve1: "decimal" },
  },
  pair: {
    about: "A pair and its tokens, in the order that the contract has them.",
    fields: { token0: { of: "erc20Metadata" }, token1: { of: "erc20Metadata" }, pairAddress: "address" },
  },
  ipfsFile: { about: "Where a file can be fetched.", fields: { path: "text" } },
  web3version: { about: "The version of this interface.", fields: { version: "text" } },
  endpointWeight: {
    about: "What a call of an endpoint costs.",
    fields: { endpoint: "text", path: "text", rateLimitWeight: "decimal", price: "decimal" },
  },
} as const satisfies Readonly<Record<string, Schema>>;

export type SchemaName = keyof typeof SCHEMAS;
/** What an endpoint answers: one of a schema, or a list. */
export type Answer = SchemaName | `${SchemaName}[]`;

/** The schema of a name, in its widest type. */
export function schemaOf(name: string): Schema | undefined {
  const all: Readonly<Record<string, Schema>> = SCHEMAS;
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
