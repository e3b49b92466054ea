import { z } from "zod";
import { address, blockFields, decimal, hash, like, listOf, transactionIndex } from "./responseValues.ts";

/* Responses about the coins that contracts sent, from the index. */

const addressInternalTransaction = z
  .object({
    transaction_hash: hash,
    transaction_index: transactionIndex,
    internal_index: like(z.int(), 0),
    ...blockFields,
    type: like(z.enum(["call", "create"]), "call"),
    from_address: address,
    to_address: address,
    direction: like(z.enum(["send", "receive", "self"]), "receive"),
    value: decimal,
    value_formatted: like(z.string(), "0.5"),
  })
  .describe(
    "Native coins that a contract sent, in wei, or a contract that it created. The internal index is the order within the transaction.",
  );

/** By their names in the OpenAPI document. */
export const INTERNAL_SCHEMAS = {
  addressInternalTransaction,
  addressInternalTransactionCollection: listOf(addressInternalTransaction).describe(
    "A page of internal transactions.",
  ),
} as const;
