import { z } from "zod";
import {
  address,
  blockFields,
  blockNumber,
  boolean,
  decimal,
  hash,
  integer,
  like,
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
const amount = like(decimal.nullish(), "1");
const status = like(z.string(), "SYNCED");

const nft = z
  .object({
    ...nftKey,
    ...metadataFields,
    amount,
    name: text.nullish(),
    symbol: symbol.nullish(),
    royalty_receiver: address.nullish(),
    royalty_basis_points: integer.nullish(),
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

/** Responses of the endpoints for NFTs, by their names in the OpenAPI document. */
export const NFT_SCHEMAS = {
  nft,
  nftCollection: pageOf(nft)
    .extend({ status: status.nullish() })
    .describe("A page of NFTs; status is SYNCED, SYNCING or PARTIAL, as in pages of owners."),
  nftMetadata,
  nftMetadataCollection: pageOf(nftMetadata).describe("A page of NFT metadata."),
  nftOwner,
  nftOwnerCollection: pageOf(nftOwner)
    .extend({ status: status.nullish() })
    .describe(
      "A page of NFTs and their owners; status is SYNCED, SYNCING while the index is incomplete, or PARTIAL if the collection has tokens that are not listed individually.",
    ),
  nftTransfer,
  nftTransferCollection: pageOf(nftTransfer)
    .extend({ block_exists: boolean.nullish(), index_complete: boolean.nullish() })
    .describe("A page of NFT transfers."),
  nftContractMetadata: z
    .object({
      token_address: address,
      name: text.nullish(),
      synced_at: time.nullish(),
      symbol: symbol.nullish(),
      contract_type: nftKey.contract_type,
    })
    .describe("A collection contract."),
  metadataResync: z.object({ status: like(z.string(), "completed") }).describe("Status of the request."),
  accepted: z.object({}).describe("An empty object."),
  trade,
  tradeCollection: pageOf(trade).describe("A page of sales."),
} as const;
