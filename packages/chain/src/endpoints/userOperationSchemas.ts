import { z } from "zod";
import {
  address,
  blockFields,
  boolean,
  decimal,
  hash,
  hex,
  like,
  listOf,
  text,
  transactionIndex,
} from "./responseValues.ts";

/* Responses about user operations (ERC-4337). */

const method = like(z.string().nullable(), "transfer");

const accountCall = z
  .object({ to_address: address, value: decimal, data: hex, method_label: method })
  .describe("A call that the account makes; the value is in wei.");

const sentUserOperation = z
  .object({
    init_code: hex,
    call_data: hex,
    method_label: method,
    calls: z.array(accountCall).nullable(),
    call_gas_limit: decimal,
    verification_gas_limit: decimal,
    pre_verification_gas: decimal,
    max_fee_per_gas: decimal,
    max_priority_fee_per_gas: decimal,
    paymaster_and_data: hex,
    signature: hex,
    aggregator: like(address.nullable(), null),
    beneficiary: address,
  })
  .describe(
    "A user operation as the bundler sent it. The calls are null for accounts without the functions execute and executeBatch of the reference implementation.",
  );

const userOperation = z
  .object({
    user_op_hash: hash,
    entry_point: address,
    entry_point_version: like(z.string(), "0.7"),
    sender: address,
    paymaster: like(address.nullable(), null),
    nonce: decimal,
    success: boolean,
    actual_gas_cost: decimal,
    actual_gas_used: decimal,
    revert_reason: like(hex.nullable(), null),
    revert_message: like(text.nullable(), null),
    factory: like(address.nullable(), null),
    bundler: address.nullable(),
    operation: sentUserOperation.nullable(),
    transaction_hash: hash,
    transaction_index: transactionIndex,
    log_index: like(z.int(), 12),
    ...blockFields,
  })
  .describe(
    "A user operation as its EntryPoint logged it, costs in wei. The operation is null if the bundler called the EntryPoint through another contract.",
  );

/** By their names in the OpenAPI document. */
export const USER_OPERATION_SCHEMAS = {
  accountCall,
  sentUserOperation,
  userOperation,
  userOperationCollection: listOf(userOperation).describe("A page of user operations."),
} as const;
