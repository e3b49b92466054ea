import { z } from "zod";
import { address, choice, hash } from "../parameterValues.ts";
import { SCHEMAS } from "../schemas.ts";
import type { EndpointRows } from "./row.ts";
import { chain, listPage, range } from "./sharedParameters.ts";

/** User operations of smart accounts, in match order. */
export const userOperationEndpoints = {
  getUserOperations: {
    group: "account",
    method: "GET",
    path: "/user-operations",
    parameters: z.object({
      chain,
      sender: address.optional().describe("Only those of this smart account; required without paymaster."),
      paymaster: address.optional().describe("Only those that this contract paid; required without sender."),
      ...range,
      order: choice(["desc", "asc"]).prefault("desc").describe("Sort order by block."),
      ...listPage,
    }),
    response: SCHEMAS.userOperationCollection,
    weight: "5",
    about: "Returns the user operations (ERC-4337) of a smart account or a paymaster, latest first.",
  },
  getUserOperation: {
    group: "account",
    method: "GET",
    path: "/user-operations/{user_op_hash}",
    parameters: z.object({
      user_op_hash: hash.describe("Hash of the user operation, as its EntryPoint computes it."),
      chain,
    }),
    response: SCHEMAS.userOperation,
    weight: "2",
    about: "Returns a user operation (ERC-4337) by its hash.",
  },
} as const satisfies EndpointRows;
