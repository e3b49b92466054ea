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
      { name: "date", in: "query", kind: "time", required: true, about: "The moment to look for." },
    ],
    answer: "blockDate",
    paging: "none",
    status: 200,
    weight: "1",
    about: "The block whose time is nearest to a date.",
  },
  {
    name: "getBlock",
    group: "native",
    method: "GET",
    path: "/block/{block_number_or_hash}",
    parameters: [blockNumberOrHash, chain, subdomain],
    answer: "block",
    paging: "none",
    status: 200,
    weight: "1",
    about: "A block with its transactions and their logs.",
  },
  {
    name: "getNFTTransfersByBlock",
    group: "native",
    method: "GET",
    path: "/block/{block_number_or_hash}/nft/transfers",
    parameters: [blockNumberOrHash, chain, subdomain, offset, limit, cursor],
    answer: "nftTransferCollection",
    paging: "both",
    status: 200,
    weight: "1",
    about: "The NFTs that were moved in a block.",
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
        about: "The transaction's hash.",
      },
      chain,
      subdomain,
    ],
    answer: "blockTransaction",
    paging: "none",
    status: 200,
    weight: "1",
    about: "A transaction with its receipt and its logs.",
  },
] as const satisfies readonly EndpointRow[];
