import { z } from "zod";

/** Contracts and gateways for name resolution, in addition to the well-known ones. */
export interface NamesConfig {
  /** ENS registries by chain ID; lowercase hex. */
  ens: Readonly<Record<string, string>>;
  /** ProxyReaders of Unstoppable Domains by chain ID; lowercase hex. */
  unstoppable: Readonly<Record<string, string>>;
  /** Origins of the allowed gateways (EIP-3668); `*` allows all public ones. If empty, none is allowed. */
  gateways: readonly string[];
}

const CONTRACTS = z
  .record(
    z.string().regex(/^\d{1,15}$/, { error: "it must be a chain ID" }),
    z
      .string()
      .regex(/^0x[0-9a-f]{40}$/i, { error: "it must be the address of a contract" })
      .toLowerCase(),
  )
  .default({});

/** `names` of the config file. */
export const namesSchema = z
  .strictObject({
    ens: CONTRACTS,
    unstoppable: CONTRACTS,
    gateways: z
      .array(
        z.string().refine((each) => each === "*" || isOrigin(each), {
          error: 'it must be an origin, as in https://gateway.example.org, or "*"',
        }),
      )
      .default([]),
  })
  .prefault({}) satisfies z.ZodType<NamesConfig>;

/** Whether a text is the origin of a URL, such as `https://host`. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
