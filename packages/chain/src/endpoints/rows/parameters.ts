import type { ParameterRow } from "./row.ts";

/** Shared parameters of endpoints. */

export const chain = {
  name: "chain",
  in: "query",
  kind: "chain",
  required: false,
  default: "eth",
  about: "Chain: a name such as eth, polygon or bsc, or an id in hexadecimal or decimal.",
} as const satisfies ParameterRow;

export const address = {
  name: "address",
  in: "path",
  kind: "address",
  required: true,
  about: "Address of a wallet or contract.",
} as const satisfies ParameterRow;

export const tokenId = {
  name: "token_id",
  in: "path",
  kind: "tokenId",
  required: true,
  about: "Token id, decimal or hexadecimal.",
} as const satisfies ParameterRow;

export const blockNumberOrHash = {
  name: "block_number_or_hash",
  in: "path",
  kind: "blockOrHash",
  required: true,
  about: "Block number, block hash, or latest.",
} as const satisfies ParameterRow;

export const fromBlock = {
  name: "from_block",
  in: "query",
  kind: "block",
  required: false,
  about: "First block of the range; takes precedence over from_date.",
} as const satisfies ParameterRow;

export const toBlock = {
  name: "to_block",
  in: "query",
  kind: "block",
  required: false,
  about: "Last block of the range; takes precedence over to_date.",
} as const satisfies ParameterRow;

export const atBlock = {
  name: "to_block",
  in: "query",
  kind: "block",
  required: false,
  about: "Block number; default latest.",
} as const satisfies ParameterRow;

export const fromDate = {
  name: "from_date",
  in: "query",
  kind: "time",
  required: false,
  about: "Start of the time range.",
} as const satisfies ParameterRow;

export const toDate = {
  name: "to_date",
  in: "query",
  kind: "time",
  required: false,
  about: "End of the time range.",
} as const satisfies ParameterRow;

/** A range of blocks or of time. */
export const range = [fromBlock, toBlock, fromDate, toDate] as const;

export const limit = {
  name: "limit",
  in: "query",
  kind: "limit",
  required: false,
  default: 500,
  about: "Page size; at most 500.",
} as const satisfies ParameterRow;

export const offset = {
  name: "offset",
  in: "query",
  kind: "offset",
  required: false,
  default: 0,
  about: "Number of rows to skip; at most 100000.",
} as const satisfies ParameterRow;

export const cursor = {
  name: "cursor",
  in: "query",
  kind: "cursor",
  required: false,
  about: "Cursor of the previous page.",
} as const satisfies ParameterRow;

export const format = {
  name: "format",
  in: "query",
  kind: "format",
  required: false,
  default: "decimal",
  about: "Format of token ids in the response.",
} as const satisfies ParameterRow;

export const marketplace = {
  name: "marketplace",
  in: "query",
  kind: "choice",
  required: false,
  default: "opensea",
  choices: ["opensea", "looksrare"],
  about: "Marketplace of the sales; opensea includes all sales through Seaport.",
} as const satisfies ParameterRow;

export const subdomain = {
  name: "subdomain",
  in: "query",
  kind: "ignored",
  required: false,
  about: "Accepted from old clients and ignored.",
} as const satisfies ParameterRow;

export const providerUrl = { ...subdomain, name: "providerUrl" } as const satisfies ParameterRow;
export const providerUrlInSnakeCase = {
  ...subdomain,
  name: "provider_url",
} as const satisfies ParameterRow;
