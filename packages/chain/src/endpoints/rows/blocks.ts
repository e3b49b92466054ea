import { blockNumberOrHash, chain, cursor, limit, offset, providerUrl, subdomain } from "./parameters.ts";
import type { EndpointRow } from "./row.ts";

/** Blocks and transactions, in match order. */
export const blockEndpoints = [
  {
    name: "getDateToBlock",
    group: "native",
    method: "GET",
    path: "/dateToBlock",
    parameters: [
      chain,
      providerUrl,
      { name: "date", in: "query", kind: "time", required: true, about: "Point in time." },
    ],
    response: "blockDate",
    paging: "none",
    status: 200,
    weight: "1",
    about: "Returns the block nearest to a date.",
  },
  {
    name: "getBlock",
    group: "native",
    method: "GET",
    path: "/block/{block_number_or_hash}",
    parameters: [blockNumberOrHash, chain, subdomain],
    response: "block",
    paging: "none",
    status: 200,
    weight: "1",
    about: "Returns a block with its transactions and their logs.",
  },
  {
    name: "getNFTTransfersByBlock",
    group: "native",
    method: "GET",
    path: "/block/{block_number_or_hash}/nft/transfers",
    parameters: [blockNumberOrHash, chain, subdomain, offset, limit, cursor],
    response: "nftTransferCollection",
    paging: "both",
    status: 200,
    weight: "1",
    about: "Returns the NFT transfers of a block.",
  },
  {
    name: "getTransaction",
    group: "native",
    method: "GET",
    path: "/transaction/{transaction_hash}",
    parameters: [
      {
        name: "transaction_hash",
        in: "path",
        kind: "hash",
        required: true,
        about: "Hash of the transaction.",
      },
      chain,
      subdomain,
    ],
    response: "blockTransaction",
    paging: "none",
    status: 200,
    weight: "1",
    about: "A transaction with its receipt and its logs.",
  },
] as const satisfies readonly EndpointRow[];
