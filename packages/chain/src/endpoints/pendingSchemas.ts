import { z } from "zod";
import { address, boolean, decimal, hash, hex, like, pageOf } from "./responseValues.ts";

/* Responses about transactions that are not in a block yet. */

const pendingTransaction = z
  .object({
    hash,
    nonce: decimal,
    from_address: address,
    to_address: address.nullable(),
    direction: like(z.enum(["send", "receive", "self"]), "send"),
    value: decimal,
    gas: decimal,
    gas_price: decimal.nullable(),
    max_fee_per_gas: decimal.nullable(),
    max_priority_fee_per_gas: decimal.nullable(),
    type: like(decimal, "2"),
    input: hex,
    method_label: like(z.string().nullable(), "transfer"),
    status: like(z.enum(["pending", "queued"]), "pending"),
  })
  .describe(
    "A transaction that is not in a block yet, prices in wei per gas. It is queued while it waits for one with a lower nonce that the node does not have.",
  );

/** By their names in the OpenAPI document. */
export const PENDING_SCHEMAS = {
  pendingTransaction,
  pendingTransactionCollection: pageOf(pendingTransaction)
    .extend({
      sources: z.array(like(z.enum(["txpool", "pending_block"]), "txpool")),
      includes_incoming: boolean,
    })
    .describe(
      "A page of pending transactions by nonce, what the node knows them from, and whether it knows those to the wallet.",
    ),
} as const;
