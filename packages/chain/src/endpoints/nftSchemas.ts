import { z } from "zod";
import {
  address,
  blockFields,
  blockNumber,
  boolean,
  decimal,
  hash,
  integer,
  keptFields,
  like,
  listOf,
  pageOf,
  symbol,
  text,
  time,
  transactionIndex,
} from "./responseValues.ts";

const nftKey = {
  token_address: address,
  token_id: like(z.string(), "7"),
  contract_type: like(z.string(), "ERC721"),
};
const metadataFields = {
  token_uri: like(z.string().nullish(), "ipfs://cat/7.json"),
  metadata: z
    .string()
    .nullish()
    .meta({
      contentMediaType: "application/json",
      examples: ['{"name":"Cat 7","image":"ipfs://cat/7.png"}'],
    }),
  synced_at: time.nullish(),
};
const normalizedMetadata = z
  .object({
    name: text.nullable(),
    description: text.nullable(),
    image: text.nullable(),
    external_url: text.nullable(),
    animation_url: text.nullable(),
    attributes: z.array(
      z.object({
        trait_type: text.nullable(),
        value: z.union([z.string(), z.number(), z.boolean()]).nullable(),
        display_type: text.nullable(),
        max_value: z.number().nullable(),
      }),
    ),
  })
  .describe("Metadata in a uniform form; null for missing fields.");
/** Labels of a collection. */
const labels = { possible_spam: boolean.nullish(), verified_collection: boolean.nullish() };
const logo = like(z.string().nullish(), "https://logo.example/cat.png");
const normalized = { normalized_metadata: normalizedMetadata.nullish() };
const amount = like(decimal.nullish(), "1");
const status = like(z.string(), "SYNCED");

/** The total is absent if the request disables it. */
const optionalTotal = { total: like(z.int().nullish(), 1) };
/** One owner: an ERC-1155 token can have more, which its list of owners contains. */
const ownership = {
  owner_of: address.nullish(),
  block_number: blockNumber.nullish(),
  block_number_minted: blockNumber.nullish(),
};

const nft = z
  .object({
    ...nftKey,
    ...metadataFields,
    ...ownership,
    amount,
    name: text.nullish(),
    symbol: symbol.nullish(),
    royalty_receiver: address.nullish(),
    royalty_basis_points: integer.nullish(),
    ...normalized,
    ...labels,
  })
  .describe("An NFT; metadata is JSON text.");

const nftMetadata = z
  .object({ ...nftKey, ...metadataFields, token_hash: like(z.string().nullish(), null) })
  .describe("Metadata of an NFT as JSON text.");

const nftOwner = z
  .object({
    ...nftKey,
    owner_of: address,
    block_number: blockNumber.nullable(),
    block_number_minted: blockNumber.nullable(),
    ...metadataFields,
    amount,
    name: text.nullish(),
    symbol: symbol.nullish(),
    ...normalized,
    ...labels,
  })
  .describe("An NFT and its owner; metadata is JSON text.");

const nftTransfer = z
  .object({
    ...nftKey,
    from_address: address.nullish(),
    to_address: address,
    value: decimal.nullish(),
    amount,
    ...blockFields,
    transaction_hash: hash,
    transaction_type: like(z.string().nullish(), "Single"),
    transaction_index: transactionIndex.nullish(),
    log_index: integer,
    operator: address.nullish(),
  })
  .describe("An NFT transfer; value is the value of the transaction, in wei.");

const trade = z
  .object({
    transaction_hash: hash,
    transaction_index: transactionIndex,
    token_ids: z.array(like(z.string(), "7")),
    seller_address: address,
    buyer_address: address,
    marketplace_address: address,
    price_token_address: address.nullish(),
    price: decimal,
    ...blockFields,
    token_address: address,
  })
  .describe("A sale; the price is in wei, or in the smallest unit of the payment token.");

const nftRarity = z
  .object({
    token_id: like(decimal, "7"),
    rarity_rank: like(z.int(), 1),
    rarity_score: like(z.number(), 2.5),
    rarity_percentage: like(z.number(), 0.01),
  })
  .describe(
    "The rarity of a token: the score is the information content of its traits divided by the average of the collection; equal scores share a rank, and the percentage is that of the rank.",
  );

const walletCollection = z
  .object({
    token_address: address,
    contract_type: nftKey.contract_type,
    name: text.nullish(),
    symbol: symbol.nullish(),
    count: like(z.int(), 3),
    ...labels,
    collection_logo: logo,
  })
  .describe("A collection of a wallet, with the number of different tokens that it owns.");

const collectionOwners = z.object({ current: decimal }).describe("The number of owners.");
const collectionTransfers = z.object({ total: decimal }).describe("The number of transfers.");
const collectionSales = z
  .object({ total: decimal, in_period: decimal, days: like(z.int(), 30) })
  .describe("The number of sales, of all times and of the last days.");

const traitValue = z
  .object({
    value: z.union([z.string(), z.number(), z.boolean()]),
    count: like(z.int(), 12),
    percentage: like(z.number(), 0.12),
  })
  .describe("The number and share, in percent, of the tokens that have a value.");
const trait = z
  .object({ trait_type: text, values: z.array(traitValue) })
  .describe("A trait of a collection with its values.");

/** Responses of the endpoints for NFTs, by their names in the OpenAPI document. */
export const NFT_SCHEMAS = {
  nft,
  nftCollection: pageOf(nft)
    .extend({ ...optionalTotal, status: status.nullish() })
    .describe("A page of NFTs; status is SYNCED, SYNCING or PARTIAL, as in pages of owners."),
  collectionOwners,
  collectionTransfers,
  collectionSales,
  traitValue,
  trait,
  nftCollectionStats: z
    .object({
      token_address: address,
      total_tokens: decimal,
      owners: collectionOwners,
      transfers: collectionTransfers,
      sales: collectionSales,
      floor_price: decimal.nullable(),
      volume: decimal,
      average_price: decimal.nullable(),
      last_sale: trade.nullable(),
      ...keptFields,
    })
    .describe("Numbers of a collection. Prices are in the native coin, in wei."),
  nftTokenStats: z
    .object({ owners: collectionOwners, transfers: collectionTransfers })
    .describe("Numbers of one NFT."),
  nftTraits: z
    .object({
      token_address: address,
      total_tokens: like(z.int(), 10_000),
      is_partial: boolean,
      traits: z.array(trait),
    })
    .describe("Traits of a collection; total_tokens is the number of tokens with metadata."),
  nftRarity,
  nftRarities: z
    .object({
      token_address: address,
      total_tokens: like(z.int(), 10_000),
      page: integer,
      page_size: like(z.int(), 100),
      cursor: like(z.string().nullish(), ""),
      result: z.array(nftRarity),
    })
    .describe("A page of the tokens of a collection that have traits."),
  walletCollection,
  nftWalletCollections: pageOf(walletCollection)
    .extend(optionalTotal)
    .describe("A page of collections of a wallet."),
  nftMetadata,
  nftMetadataCollection: pageOf(nftMetadata).extend(optionalTotal).describe("A page of NFT metadata."),
  nftOwner,
  nftOwnerCollection: pageOf(nftOwner)
    .extend({ ...optionalTotal, status: status.nullish() })
    .describe(
      "A page of NFTs and their owners; status is SYNCED, SYNCING while the index is incomplete, or PARTIAL if the collection has tokens that are not listed individually.",
    ),
  nftTransfer,
  nftTransferCollection: listOf(nftTransfer)
    .extend({ block_exists: boolean.nullish(), index_complete: boolean.nullish() })
    .describe("A page of NFT transfers."),
  nftContractMetadata: z
    .object({
      token_address: address,
      name: text.nullish(),
      synced_at: time.nullish(),
      symbol: symbol.nullish(),
      contract_type: nftKey.contract_type,
      ...labels,
      collection_logo: logo,
    })
    .describe("A collection contract."),
  metadataResync: z.object({ status: like(z.string(), "completed") }).describe("Status of the request."),
  accepted: z.object({}).describe("An empty object."),
  trade,
  tradeCollection: listOf(trade).describe("A page of sales."),
} as const;
