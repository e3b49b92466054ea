/* Responses of the endpoints, field by field, for the OpenAPI document and the types of the client. */

/** Type of a field; with a question mark the field may be null or missing. */
export type Scalar =
  /** An integer of any size as decimal text: amounts, block numbers, gas. */
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
  /** A page of rows of another schema, and its additional fields. */
  | { readonly pageOf: string; readonly fields?: Fields }
  | { readonly text: true }
);

/** Block fields of a row. */
const blockFields = { block_timestamp: "time", block_number: "decimal", block_hash: "hash" } as const;
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
  ...blockFields,
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
      ...blockFields,
    },
  },
  blockTransaction: {
    about: "A transaction with receipt and logs. Amounts are in wei.",
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
    fields: { transaction_hash: "hash", address: "address", ...blockFields, data: "hex", ...topics },
  },
  logCollection: { about: "A page of logs.", pageOf: "logEventByAddress" },
  logEvent: {
    about: "A decoded event; data contains the arguments by name.",
    fields: { transaction_hash: "hash", address: "address", ...blockFields, data: "object" },
  },
  contractResult: {
    about: "Return value of the function as text; JSON text for several values.",
    text: true,
  },
  transaction: {
    about: "A transaction with its receipt. Amounts are in wei.",
    fields: transaction,
  },
  transactionCollection: { about: "A page of transactions.", pageOf: "transaction" },
  nativeBalance: { about: "An amount of the native coin, in wei.", fields: { balance: "decimal" } },
  erc20TokenBalance: {
    about: "Balance of a token in its smallest unit.",
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
      ...blockFields,
      to_address: "address",
      from_address: "address",
      value: "decimal",
    },
  },
  erc20TransactionCollection: { about: "A page of transfers of tokens.", pageOf: "erc20Transaction" },
  erc20Metadata: { about: "A token contract.", fields: erc20Metadata },
  erc20Allowance: {
    about: "Allowance of a spender in the token's smallest unit.",
    fields: { allowance: "decimal" },
  },
  nativeErc20Price: {
    about: "A price in the native coin, in wei.",
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
    about: "An NFT; metadata is JSON text.",
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
    about: "Metadata of an NFT as JSON text.",
    fields: { ...nft, ...nftMetadata, token_hash: "text?" },
  },
  nftMetadataCollection: { about: "A page of NFT metadata.", pageOf: "nftMetadata" },
  nftOwner: {
    about: "An NFT and its owner; metadata is JSON text.",
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
      "A page of NFTs and their owners; status is SYNCED, SYNCING while the index is incomplete, or PARTIAL if the collection has tokens that are not listed individually.",
    pageOf: "nftOwner",
    fields: { status: "text?" },
  },
  nftTransfer: {
    about: "An NFT transfer; value is the value of the transaction, in wei.",
    fields: {
      token_address: "address",
      token_id: "text",
      from_address: "address?",
      to_address: "address",
      value: "decimal?",
      amount: "decimal?",
      contract_type: "text",
      ...blockFields,
      transaction_hash: "hash",
      transaction_type: "text?",
      transaction_index: "decimal?",
      log_index: "integer",
      operator: "address?",
    },
  },
  nftTransferCollection: {
    about: "A page of NFT transfers.",
    pageOf: "nftTransfer",
    fields: { block_exists: "boolean?", index_complete: "boolean?" },
  },
  nftContractMetadata: {
    about: "A collection contract.",
    fields: {
      token_address: "address",
      name: "text?",
      synced_at: "time?",
      symbol: "text?",
      contract_type: "text",
    },
  },
  metadataResync: { about: "Status of the request.", fields: { status: "text" } },
  accepted: { about: "An empty object.", fields: {} },
  trade: {
    about: "A sale; the price is in wei, or in the smallest unit of the payment token.",
    fields: {
      transaction_hash: "hash",
      transaction_index: "decimal",
      token_ids: { list: "text" },
      seller_address: "address",
      buyer_address: "address",
      marketplace_address: "address",
      price_token_address: "address?",
      price: "decimal",
      ...blockFields,
      token_address: "address",
    },
  },
  tradeCollection: { about: "A page of sales.", pageOf: "trade" },
  resolve: { about: "The address of a domain.", fields: { address: "address" } },
  ens: { about: "The name of an address.", fields: { name: "text" } },
  reservesCollection: {
    about: "Reserves of a pair, in the tokens' smallest units.",
    fields: { reserve0: "decimal", reserve1: "decimal" },
  },
  pair: {
    about: "A pair and its tokens in the contract's order.",
    fields: { token0: { of: "erc20Metadata" }, token1: { of: "erc20Metadata" }, pairAddress: "address" },
  },
  ipfsFile: { about: "URL of a file.", fields: { path: "text" } },
  web3version: { about: "Version of the API.", fields: { version: "text" } },
  endpointWeight: {
    about: "Rate limit cost of an endpoint.",
    fields: { endpoint: "text", path: "text", rateLimitWeight: "decimal", price: "decimal" },
  },
} as const satisfies Readonly<Record<string, Schema>>;

export type SchemaName = keyof typeof SCHEMAS;
/** Response of an endpoint: one object of a schema, or a list. */
export type ResponseSchema = SchemaName | `${SchemaName}[]`;

/** Finds a schema by name, with its widest type. */
export function schemaOf(name: string): Schema | undefined {
  const all: Readonly<Record<string, Schema>> = SCHEMAS;
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
