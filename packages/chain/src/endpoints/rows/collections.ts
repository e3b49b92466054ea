import { z } from "zod";
import { address, days, nftKeys } from "../parameterValues.ts";
import { SCHEMAS } from "../schemas.ts";
import type { EndpointRows } from "./row.ts";
import {
  chain,
  cursor,
  format,
  limit,
  marketplace,
  NO_MEDIA,
  normalizeMetadata,
  tokenId,
} from "./sharedParameters.ts";

const collection = address.describe("Contract of the collection.");

/** Collections of NFTs, in match order; they precede paths with a token id. */
export const collectionEndpoints = {
  getMultipleNFTs: {
    group: "token",
    method: "POST",
    path: "/nft/getMultipleNFTs",
    parameters: z.object({
      chain,
      format,
      tokens: nftKeys.describe("The NFTs; at most 100."),
      normalizeMetadata,
    }),
    body: { properties: ["tokens", "normalizeMetadata"] },
    unsupported: NO_MEDIA,
    response: z.array(SCHEMAS.nft),
    weight: "5",
    about: "Returns several NFTs with their metadata, in the given order; unknown ones are omitted.",
  },
  getNFTCollectionStats: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/stats",
    parameters: z.object({
      address: collection,
      chain,
      days: days.prefault(30).describe("Number of days for floor price and volume."),
      marketplace: marketplace.prefault("all"),
    }),
    response: SCHEMAS.nftCollectionStats,
    weight: "5",
    about:
      "Returns the number of tokens, owners, transfers and sales of a collection, its floor price and volume.",
  },
  getNFTTraitsByCollection: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/traits",
    parameters: z.object({ address: collection, chain }),
    response: SCHEMAS.nftTraits,
    weight: "5",
    about: "Returns the traits of a collection with the number and share of tokens that have each value.",
  },
  getNFTCollectionRarity: {
    group: "token",
    method: "GET",
    path: "/nft/{address}/rarity",
    parameters: z.object({
      address: collection,
      chain,
      token_id: tokenId.optional().describe("Only this token."),
      limit: limit.prefault(100).describe("Page size; at most 500."),
      cursor,
    }),
    response: SCHEMAS.nftRarities,
    weight: "5",
    about: "Returns the tokens of a collection with the rarity of their traits, the rarest first.",
  },
} as const satisfies EndpointRows;
