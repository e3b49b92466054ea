import { isJsonObject } from "@purse/protocol";
import { sectionOf } from "./sectionFields.ts";

/** Contracts and gateways for name resolution, in addition to the well-known ones. */
export interface NamesConfig {
  /** ENS registries by chain ID; lowercase hex. */
  ens: Readonly<Record<string, string>>;
  /** ProxyReaders of Unstoppable Domains by chain ID; lowercase hex. */
  unstoppable: Readonly<Record<string, string>>;
  /** Origins of the allowed gateways (EIP-3668); `*` allows all public ones. If empty, none is allowed. */
  gateways: readonly string[];
}

/** Parses `names` of the config file. Throws Error that says what is allowed. */
export function parseNames(value: unknown): NamesConfig {
  const { ens, unstoppable, gateways = [] } = sectionOf(value, ["ens", "unstoppable", "gateways"]);
  const isOrigin = (each: unknown): each is string =>
    each === "*" || (typeof each === "string" && URL.canParse(each) && new URL(each).origin === each);
  if (!Array.isArray(gateways) || !gateways.every(isOrigin)) {
    throw new Error('gateways must be a list of origins, as in https://gateway.example.org, or ["*"]');
  }
  return {
    ens: parseContracts("ens", ens),
    unstoppable: parseContracts("unstoppable", unstoppable),
    gateways,
  };
}

function parseContracts(name: string, value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw new Error(`${name} must be addresses of contracts by chain id`);
  return Object.fromEntries(
    Object.entries(value).map(([id, address]) => {
      if (/^\d{1,15}$/.test(id) && typeof address === "string" && /^0x[0-9a-f]{40}$/i.test(address)) {
        return [id, address.toLowerCase()];
      }
      throw new Error(`${name}.${id.slice(0, 32)} must be the address of a contract, by chain id`);
    }),
  );
}
