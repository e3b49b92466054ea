import { EXCHANGE_KINDS, MARKETPLACE_NAMES, type Market } from "@purse/chain";
import { parseAt } from "@purse/kernel";
import { z } from "zod";

const NAME = z
  .string()
  .max(100)
  .refine((value) => value.trim() !== "", { error: "it must not be empty" });
const ADDRESS = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i, { error: "it must be an address: 0x and 40 hexadecimal digits" })
  .toLowerCase();

const MARKET = z.strictObject({
  coin: z.strictObject({ name: NAME, symbol: NAME }).exactOptional(),
  wrappedNative: ADDRESS.exactOptional(),
  stables: z.array(ADDRESS).exactOptional(),
  exchanges: z
    .array(
      z.strictObject({
        name: NAME,
        kind: z.enum(EXCHANGE_KINDS),
        factory: ADDRESS,
        // A uint24 in the contract, in millionths.
        feeTiers: z
          .array(
            z
              .int()
              .min(0)
              .max(2 ** 24 - 1),
          )
          .exactOptional(),
        pools: z
          .array(
            z
              .string()
              .regex(/^0x([0-9a-f]{40}|[0-9a-f]{64})$/i, {
                error: "it must be an address, or the id of a pool: 0x and 40 or 64 hexadecimal digits",
              })
              .toLowerCase(),
          )
          .exactOptional(),
      }),
    )
    .exactOptional(),
  marketplaces: z
    .array(z.strictObject({ name: z.enum(MARKETPLACE_NAMES), address: ADDRESS }))
    .exactOptional(),
  /** In US dollars. */
  minimumLiquidity: z.number().min(0).exactOptional(),
});

export const MARKET_KEYS = Object.keys(MARKET.shape);

/**
 * Parses the exchanges and marketplaces in `chains.NAME` of the config file; undefined if there are none. Throws Error
 * that says what is invalid.
 */
export function parseMarket(name: string, chain: Record<string, unknown>): Partial<Market> | undefined {
  const own = Object.entries(chain).filter(
    ([key, value]) => Object.hasOwn(MARKET.shape, key) && value !== undefined,
  );
  return own.length === 0 ? undefined : parseAt(`chains.${name}`, MARKET, Object.fromEntries(own));
}
