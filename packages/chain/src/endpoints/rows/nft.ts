import { z } from "zod";
import { order } from "../pageParameters.ts";
import { address, addresses, choice, days, list, text } from "../parameterValues.ts";
import { SCHEMAS } from "../schemas.ts";
import type { EndpointRows } from "./row.ts";
import {
  chain,
  format,
  listOrder,
  listPage,
  marketplace,
  NO_MEDIA,
  normalizeMetadata,
  range,
  tokenId,
} from "./sharedParameters.ts";

const collection = address.describe("Contract of the collection.");
const page = { format, ...listPage };

/** NFTs, in match order: paths with words precede paths with a token id. */
export const nftEndpoints = {
  searchNFTs: {
    group: "token",
    method: "GET",
    path: "/nft/search",
    parameters: z.object({
      chain,
      format,
      q: text.describe("Search terms."),
      filter: list(choice(["name", "description", "attributes", "global"]))
        .prefault(["global"])
        .describe("Searched parts of the metadata, separated by commas; global means all."),
      ...range,
      addresses: addresses.optional().describe("Only these collections; at most 100."),
      ...listPage,
    }),
    response: SCHEMAS.nftMetadataCollection,
    weight: "5",
    about: "Searches NFTs by metadata.",
  },
  getNftTransfersFromToBlock: {
    aliases: ["getNFTTransfersFromToBlock"],
    group: "token",
    method: "GET",
    path: "/nft/transfers",
    parameters: z.object({ chain, ...range, ...page, order: listOrder }),
    response: SCHEMAS.nftTransferCollection,
    weight: "2",
    about: "Returns all NFT transfers in a range of blocks or time; at least one bound is required.",
  },
  getNFTTrades: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/trades",
    parameters: z.object({
      address: collection,
      chain,
      ...range,
      marketplace,
      ...listPage,
    }),
    ignored: ["provider_url"],
    unsupported: { nft_metadata: "getTokenIdMetadata returns the metadata" },
    response: SCHEMAS.tradeCollection,
    weight: "4",
    about: "Returns the sales of a collection, latest first.",
  },
  getNFTLowestPrice: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/lowestprice",
    parameters: z.object({
      address: collection,
      chain,
      days: days.prefault(7).describe("Number of days to look back."),
      marketplace,
    }),
    ignored: ["provider_url"],
    response: SCHEMAS.trade,
    weight: "4",
    about: "Returns the lowest sale price in the native coin within the last days.",
  },
  getContractNFTTransfers: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/transfers",
    parameters: z.object({
      address: collection,
      chain,
      ...range,
      ...page,
      order: listOrder,
    }),
    response: SCHEMAS.nftTransferCollection,
    weight: "2",
    about: "Returns the transfers of a collection, latest first.",
  },
  getNFTOwners: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/owners",
    parameters: z.object({
      address: collection,
      chain,
      ...page,
      normalizeMetadata,
    }),
    unsupported: NO_MEDIA,
    response: SCHEMAS.nftOwnerCollection,
    weight: "2",
    about: "Returns the owners of a collection: one row per token and owner.",
  },
  getNFTMetadata: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/metadata",
    parameters: z.object({ address: collection, chain }),
    response: SCHEMAS.nftContractMetadata,
    weight: "1",
    about: "Returns name, symbol and contract type of a collection.",
  },
  syncNFTContract: {
    group: "token",
    method: "PUT",
    path: "/nft/{address}/sync",
    parameters: z.object({ address: collection, chain }),
    response: SCHEMAS.accepted,
    status: 201,
    weight: "5",
    about: "Refreshes a collection from the chain.",
  },
  getAllTokenIds: {
    group: "token",
    method: "GET",
    path: "/nft/{address}",
    parameters: z.object({
      address: collection,
      chain,
      ...page,
      normalizeMetadata,
    }),
    unsupported: {
      ...NO_MEDIA,
      totalRanges: "use cursors",
      range: "use cursors",
    },
    response: SCHEMAS.nftCollection,
    weight: "2",
    about: "Returns the tokens of a collection with metadata.",
  },
  reSyncMetadata: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/{token_id}/metadata/resync",
    refreshes: true,
    parameters: z.object({
      address: collection,
      token_id: tokenId,
      chain,
      flag: choice(["uri", "metadata"])
        .prefault("metadata")
        .describe("What to refresh: the URI on the chain and the metadata, or only the metadata."),
      mode: choice(["async", "sync"])
        .prefault("async")
        .describe("Whether to respond immediately or after the refresh."),
    }),
    response: SCHEMAS.metadataResync,
    weight: "5",
    about: "Refreshes the metadata of one NFT.",
  },
  getTokenIdOwners: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/{token_id}/owners",
    parameters: z.object({
      address: collection,
      token_id: tokenId,
      chain,
      ...page,
      normalizeMetadata,
    }),
    unsupported: NO_MEDIA,
    response: SCHEMAS.nftOwnerCollection,
    weight: "2",
    about: "Returns the owners of one NFT.",
  },
  getWalletTokenIdTransfers: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/{token_id}/transfers",
    parameters: z.object({
      address: collection,
      token_id: tokenId,
      chain,
      ...page,
      order: order
        .prefault(["block_number.DESC"])
        .describe("DESC or ASC, or fields with .ASC or .DESC, separated by commas."),
    }),
    response: SCHEMAS.nftTransferCollection,
    weight: "2",
    about: "Returns the transfers of one NFT.",
  },
  getNFTTradesByToken: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/{token_id}/trades",
    parameters: z.object({
      address: collection,
      token_id: tokenId,
      chain,
      ...range,
      marketplace: marketplace.prefault("all"),
      ...listPage,
    }),
    unsupported: { nft_metadata: "getTokenIdMetadata returns the metadata" },
    response: SCHEMAS.tradeCollection,
    weight: "4",
    about: "Returns the sales of one NFT, latest first.",
  },
  getNFTTokenStats: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/{token_id}/stats",
    parameters: z.object({ address: collection, token_id: tokenId, chain }),
    response: SCHEMAS.nftTokenStats,
    weight: "2",
    about: "Returns the number of owners and of transfers of one NFT.",
  },
  getTokenIdMetadata: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/{token_id}",
    parameters: z.object({
      address: collection,
      token_id: tokenId,
      chain,
      format,
      normalizeMetadata,
    }),
    unsupported: NO_MEDIA,
    response: SCHEMAS.nft,
    weight: "1",
    about: "Returns one NFT with its metadata.",
  },
} as const satisfies EndpointRows;
