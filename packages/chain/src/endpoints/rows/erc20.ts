import { z } from "zod";
import { SCHEMAS } from "../schemas.ts";
import { address, addresses, text, texts } from "../values.ts";
import { atBlock, chain, cursor, limit, offset, range } from "./parameters.ts";
import type { EndpointRows } from "./row.ts";

const token = address.describe("Contract of the token.");

/** ERC-20 tokens, in match order. */
export const erc20Endpoints = {
  getTokenMetadata: {
    group: "token",
    method: "GET",
    path: "/erc20/metadata",
    parameters: z.object({ chain, addresses: addresses.describe("Contracts; at most 100.") }),
    ignored: ["subdomain", "providerUrl"],
    response: z.array(SCHEMAS.erc20Metadata),
    weight: "1",
    about: "Returns name, symbol and decimals of tokens.",
  },
  getTokenMetadataBySymbol: {
    group: "token",
    method: "GET",
    path: "/erc20/metadata/symbols",
    parameters: z.object({ chain, symbols: texts.describe("Symbols; at most 100.") }),
    ignored: ["subdomain"],
    response: z.array(SCHEMAS.erc20Metadata),
    weight: "1",
    about: "Returns the tokens with a symbol; several tokens can have the same one.",
  },
  getTokenPrice: {
    group: "token",
    method: "GET",
    path: "/erc20/{address}/price",
    parameters: z.object({
      address: token,
      chain,
      exchange: text.optional().describe("Exchange by name or factory address; default all known exchanges."),
      to_block: atBlock,
    }),
    ignored: ["providerUrl"],
    response: SCHEMAS.erc20Price,
    weight: "3",
    about: "Returns the price of a token on decentralized exchanges.",
  },
  getTokenAddressTransfers: {
    group: "token",
    method: "GET",
    path: "/erc20/{address}/transfers",
    parameters: z.object({
      address: token,
      chain,
      ...range,
      offset,
      limit,
      cursor,
    }),
    ignored: ["subdomain"],
    response: SCHEMAS.erc20TransactionCollection,
    weight: "2",
    about: "Returns the transfers of a token, latest first.",
  },
  getTokenAllowance: {
    group: "token",
    method: "GET",
    path: "/erc20/{address}/allowance",
    parameters: z.object({
      address: token,
      chain,
      owner_address: address.describe("Owner of the tokens."),
      spender_address: address.describe("Spender of the tokens."),
    }),
    ignored: ["providerUrl"],
    response: SCHEMAS.erc20Allowance,
    weight: "1",
    about: "Returns the allowance of a spender.",
  },
} as const satisfies EndpointRows;
