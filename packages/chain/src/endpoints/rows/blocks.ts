import { z } from "zod";
import { address, choice, hash, time } from "../parameterValues.ts";
import { SCHEMAS } from "../schemas.ts";
import type { EndpointRows } from "./row.ts";
import { blockNumberOrHash, chain, listOrder, listPage } from "./sharedParameters.ts";

const include = choice(["internal_transactions"])
  .optional()
  .describe("Adds the calls between contracts, if the node traces transactions.");

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
    parameters: z.object({ block_number_or_hash: blockNumberOrHash, chain, include }),
    ignored: ["subdomain"],
    response: SCHEMAS.block,
    weight: "1",
    about: "Returns a block with its transactions and their logs.",
  },
  getBlockStats: {
    group: "native",
    method: "GET",
    path: "/block/{block_number_or_hash}/stats",
    parameters: z.object({ block_number_or_hash: blockNumberOrHash, chain }),
    response: SCHEMAS.blockStats,
    weight: "2",
    about: "Returns the numbers of transactions and transfers of a block.",
  },
  getNFTTransfersByBlock: {
    group: "native",
    method: "GET",
    path: "/block/{block_number_or_hash}/nft/transfers",
    parameters: z.object({
      block_number_or_hash: blockNumberOrHash,
      chain,
      ...listPage,
      order: listOrder,
    }),
    ignored: ["subdomain"],
    response: SCHEMAS.nftTransferCollection,
    weight: "1",
    about: "Returns the NFT transfers of a block.",
  },
  getTransaction: {
    group: "native",
    method: "GET",
    path: "/transaction/{transaction_hash}",
    parameters: z.object({
      transaction_hash: hash.describe("Hash of the transaction."),
      chain,
      include,
    }),
    ignored: ["subdomain"],
    response: SCHEMAS.blockTransaction,
    weight: "1",
    about: "A transaction with its receipt and its logs.",
  },
  getTransactionVerbose: {
    group: "native",
    method: "GET",
    path: "/transaction/{transaction_hash}/verbose",
    parameters: z.object({
      transaction_hash: hash.describe("Hash of the transaction."),
      chain,
      include,
    }),
    response: SCHEMAS.blockTransactionDecoded,
    weight: "1",
    about: "Returns a transaction with its receipt, its call and its logs, decoded if they are well known.",
  },
  getInternalTransactions: {
    group: "native",
    method: "GET",
    path: "/transaction/{transaction_hash}/internal-transactions",
    parameters: z.object({ transaction_hash: hash.describe("Hash of the transaction."), chain }),
    response: z.array(SCHEMAS.internalTransaction),
    weight: "5",
    about: "Returns the calls between contracts in a transaction, if the node traces transactions.",
  },
  getContractSource: {
    group: "native",
    method: "GET",
    path: "/contracts/{address}/source",
    parameters: z.object({ address: address.describe("Address of the contract."), chain }),
    response: SCHEMAS.contractSource,
    weight: "5",
    about: "Returns the verified source code and the ABI of a contract from the operator's repositories.",
  },
} as const satisfies EndpointRows;
