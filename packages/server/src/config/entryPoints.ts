import { ENTRY_POINT_VERSIONS, type EntryPoint } from "@purse/chain";
import { parseAt } from "@purse/kernel";
import { z } from "zod";

const ENTRY_POINTS = z.array(
  z.strictObject({
    version: z.enum(ENTRY_POINT_VERSIONS),
    address: z
      .string()
      .regex(/^0x[0-9a-f]{40}$/i, { error: "it must be an address: 0x and 40 hexadecimal digits" })
      .toLowerCase(),
  }),
);

/**
 * Parses the EntryPoint contracts (ERC-4337) in `chains.NAME` of the config file; undefined if there are none. Throws
 * Error that says what is invalid.
 */
export function parseEntryPoints(name: string, given: unknown): EntryPoint[] | undefined {
  return given === undefined ? undefined : parseAt(`chains.${name}.entryPoints`, ENTRY_POINTS, given);
}
