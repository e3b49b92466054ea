import type { ParameterRow } from "./row.ts";

/** The parameters that many endpoints share. */

export const chain = {
  name: "chain",
  in: "query",
  kind: "chain",
  required: false,
  default: "eth",
  about: "The chain: a name such as eth, polygon or bsc, or its id in hexadecimal or decimal.",
} as const satisfies ParameterRow;

export const address = {
  name: "address",
  in: "path",
  kind: "address",
  required: true,
  about: "The address of a wallet or a contract.",
} as const satisfies ParameterRow;

export const tokenId = {
  name: "token_id",
  in: "path",
  kind: "tokenId",
  required: true,
  about: "The token's number in its contract, decimal or hexadecimal.",
} as const satisfies ParameterRow;

export const blockNumberOrHash = {
  name: "block_number_or_hash",
  in: "path",
  kind: "blockOrHash",
  required: true,
  about: "The block's number, its hash, or latest.",
} as const satisfies ParameterRow;

export const fromBlock = {
  name: "from_block",
  in: "query",
  kind: "block",
  required: false,
  about: "The first block that counts; goes before from_date.",
} as const satisfies ParameterRow;

export const toBlock = {
  name: "to_block",
  in: "query",
  kind: "block",
  required: false,
  about: "The last block that counts; goes before to_date.",
} as const satisfies ParameterRow;

export const atBlock = {
  name: "to_block",
  in: "query",
  kind: "block",
  required: false,
  about: "The block at which to look; the newest where none is named.",
} as const satisfies ParameterRow;

export const fromDate = {
  name: "from_date",
  in: "query",
  kind: "time",
  required: false,
  about: "The earliest moment that counts.",
} as const satisfies ParameterRow;

export const toDate = {
  name: "to_date",
  in: "query",
  kind: "time",
  required: false,
  about: "The latest moment that counts.",
} as const satisfies ParameterRow;

/** A window of blocks, or of time. */
export const range = [fromBlock, toBlock, fromDate, toDate] as const;

export const limit = {
  name: "limit",
  in: "query",
  kind: "limit",
  required: false,
  default: 500,
  about: "How many rows a page has; 500 at most.",
} as const satisfies ParameterRow;

export const offset = {
  name: "offset",
  in: "query",
  kind: "offset",
  required: false,
  default: 0,
  about: "How many rows to leave out; 100000 at most.",
} as const satisfies ParameterRow;

export const cursor = {
  name: "cursor",
  in: "query",
  kind: "cursor",
  required: false,
  about: "The cursor of the page before.",
} as const satisfies ParameterRow;

export const format = {
  name: "format",
  in: "query",
  kind: "format",
  required: false,
  default: "decimal",
  about: "How token ids are written in the answer.",
} as const satisfies ParameterRow;

export const marketplace = {
  name: "marketplace",
  in: "query",
  kind: "choice",
  required: false,
  default: "opensea",
  choices: ["opensea", "looksrare"],
  about: "The marketplace where it was sold: opensea for all that trade by Seaport.",
} as const satisfies ParameterRow;

export const subdomain = {
  name: "subdomain",
  in: "query",
  kind: "ignored",
  required: false,
  about: "Accepted from old clients and not used.",
} as const satisfies ParameterRow;

export const providerUrl = { ...subdomain, name: "providerUrl" } as const satisfies ParameterRow;
export const providerUrlInSnakeCase = {
  ...subdomain,
  name: "provider_url",
} as const satisfies ParameterRow;
