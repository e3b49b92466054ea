import { z } from "zod";
import * as pages from "../pageParameters.ts";
import * as values from "../parameterValues.ts";
import { SCHEMAS } from "../schemas.ts";
import type { EndpointRows } from "./row.ts";
import { atBlock, blockOrder, chain, cursor, listPage, range } from "./sharedParameters.ts";

const token = values.address.describe("Contract of the token.");

/** ERC-20 tokens, in match order. */
export const erc20Endpoints = {
  getTokenMetadata: {
    group: "token",
    method: "GET",
    path: "/erc20/metadata",
    parameters: z.object({ chain, addresses: values.addresses.describe("Contracts; at most 100.") }),
    ignored: ["subdomain", "providerUrl"],
    response: z.array(SCHEMAS.erc20Metadata),
    weight: "1",
    about: "Returns name, symbol and decimals of tokens.",
  },
  getTokenMetadataBySymbol: {
    group: "token",
    method: "GET",
    path: "/erc20/metadata/symbols",
    parameters: z.object({ chain, symbols: values.texts.describe("Symbols; at most 100.") }),
    ignored: ["subdomain"],
    response: z.array(SCHEMAS.erc20Metadata),
    weight: "1",
    about: "Returns the tokens with a symbol; several tokens can have the same one.",
  },
  searchTokens: {
    group: "token",
    method: "GET",
    path: "/erc20/search",
    parameters: z.object({
      chain,
      query: values.text.describe("Beginning of the symbol or name, or an address."),
      include_collections: values.boolean
        .prefault(false)
        .describe("Whether to find NFT collections too; their `contract_type` is `ERC721` or `ERC1155`."),
    }),
    response: z.array(SCHEMAS.erc20Metadata),
    weight: "3",
    about: "Returns up to 100 tokens by symbol, name or address; equal symbols and names first.",
  },
  resyncTokenMetadata: {
    group: "token",
    method: "GET",
    path: "/erc20/{address}/metadata/resync",
    parameters: z.object({ address: token, chain }),
    response: SCHEMAS.erc20Metadata,
    weight: "3",
    about: "Reads name, symbol and decimals of a token from its contract again.",
  },
  getTokenOwners: {
    aliases: ["getTokenHolders"],
    group: "token",
    method: "GET",
    path: "/erc20/{address}/owners",
    parameters: z.object({
      address: token,
      chain,
      limit: pages.limit.prefault(100).describe("Page size; at most 500."),
      cursor,
      order: values.choice(["desc", "asc"]).prefault("desc").describe("Sort order by balance."),
    }),
    response: SCHEMAS.erc20OwnerCollection,
    weight: "5",
    about: "Returns the owners of a token with their balances and shares, the largest first.",
  },
  getHistoricalTokenHolders: {
    group: "token",
    method: "GET",
    path: "/erc20/{address}/holders/historical",
    parameters: z.object({
      address: token,
      chain,
      fromDate: values.time.describe("Start of the time range."),
      toDate: values.time.optional().describe("End of the time range; default now."),
      timeFrame: values
        .choice(["1h", "4h", "12h", "1d", "1w"])
        .prefault("1d")
        .describe("Interval of the rows; a range has at most 100."),
    }),
    response: SCHEMAS.erc20HolderHistory,
    weight: "10",
    about: "Returns the number of holders of a token over time, latest first.",
  },
  getTokenStats: {
    group: "token",
    method: "GET",
    path: "/erc20/{address}/stats",
    parameters: z.object({ address: token, chain }),
    response: SCHEMAS.erc20Stats,
    weight: "5",
    about: "Returns supply, number of holders and transfers, creator and creation block of a token.",
  },
  getTokenPrice: {
    group: "token",
    method: "GET",
    path: "/erc20/{address}/price",
    parameters: z.object({
      address: token,
      chain,
      exchange: values.text
        .optional()
        .describe("Exchange by name or factory address; default all known exchanges."),
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
      order: blockOrder,
      ...listPage,
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
      owner_address: values.address.describe("Owner of the tokens."),
      spender_address: values.address.describe("Spender of the tokens."),
    }),
    ignored: ["providerUrl"],
    response: SCHEMAS.erc20Allowance,
    weight: "1",
    about: "Returns the allowance of a spender.",
  },
} as const satisfies EndpointRows;
