import type { JsonValue } from "@purse/protocol";
import { z } from "zod";
import { address, like, text } from "./responseValues.ts";

/** Responses about contracts. */
export const CONTRACT_SCHEMAS = {
  contractSource: z
    .object({
      address,
      match: like(z.enum(["full", "partial"]), "full"),
      name: like(z.string(), "ERC20"),
      language: like(z.string(), "Solidity"),
      compiler_version: like(z.string(), "0.8.26+commit.8a97fa7a"),
      evm_version: like(z.string().nullable(), "cancun"),
      optimizer_runs: like(z.number().nullable(), 200),
      abi: z.array(z.custom<JsonValue>().meta({ type: "object" })),
      files: z.array(z.object({ path: like(z.string(), "contracts/ERC20.sol"), content: text.nullable() })),
    })
    .describe(
      "The verified source of a contract. match is partial if only the bytecode without the hash of the metadata is equal; optimizer_runs is null without the optimizer; content is null if the repository does not have the file as it was compiled.",
    ),
};
