import type { Labels } from "@purse/chain";
import { parseAt } from "@purse/kernel";
import { z } from "zod";

const ADDRESSES = z.array(
  z
    .string()
    .regex(/^0x[0-9a-f]{40}$/i, { error: "it must be an address: 0x and 40 hexadecimal digits" })
    .toLowerCase(),
);

const LABELS = z.strictObject({
  tokenLists: z.array(z.string().min(1, { error: "it must be a path or a URL" })).exactOptional(),
  sources: z.array(z.string().min(1, { error: "it must be a path or a URL" })).exactOptional(),
  spam: ADDRESSES.exactOptional(),
  verified: ADDRESSES.exactOptional(),
});

export const LABEL_KEYS = Object.keys(LABELS.shape);

/**
 * Parses the lists of token contracts in `chains.NAME` of the config file; undefined if there are none. Throws Error
 * that says what is invalid.
 */
export function parseLabels(name: string, chain: Record<string, unknown>): Labels | undefined {
  const own = Object.entries(chain).filter(
    ([key, value]) => Object.hasOwn(LABELS.shape, key) && value !== undefined,
  );
  return own.length === 0 ? undefined : parseAt(`chains.${name}`, LABELS, Object.fromEntries(own));
}
