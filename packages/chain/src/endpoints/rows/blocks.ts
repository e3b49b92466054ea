import { z } from "zod";
import { SCHEMAS } from "../schemas.ts";
import { hash, time } from "../values.ts";
import { blockNumberOrHash, chain, cursor, limit, offset } from "./parameters.ts";
import type { EndpointRows } from "./row.ts";

/** Blocks and transactions, in match order. */
export const blockEndpoints = {
  getDateToBlock: {
    group: "native",
    method: "GET",
    path: "/dateToBlock",
    parameters: z.object({ chain, date: time.describe("Point in time.") }),
    ignored: ["providerUrl"],
    response: SCHEMAS.blockDate,
    weight: "1",
    about: "Returns the block nearest to a date.",
  },
  getBlock: {
    group: "native",
    method: "GET",
    path: "/block/{block_number_or_hash}",
    parameters: z.object({ block_number_or_hash: blockNumberOrHash, chain }),
    ignored: ["subdomain"],
    response: SCHEMAS.block,
    weight: "1",
    about: "Returns a block with its transactions and their logs.",
  },
  getNFTTransfersByBlock: {
    group: "native",
    method: "GET",
    path: "/block/{block_number_or_hash}/nft/transfers",
    parameters: z.object({ block_number_or_hash: blockNumberOrHash, chain, offset, limit, cursor }),
    ignored: ["subdomain"],
    response: SCHEMAS.nftTransferCollection,
    weight: "1",
    about: "Returns the NFT transfers of a block.",
  },
  getTransaction: {
    group: "native",
    method: "GET",
    path: "/transaction/{transaction_hash}",
    parameters: z.object({ transaction_hash: hash.describe("Hash of the transaction."), chain }),
    ignored: ["subdomain"],
    response: SCHEMAS.blockTransaction,
    weight: "1",
    about: "A transaction with its receipt and its logs.",
  },
} as const satisfies EndpointRows;
