import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ChainConfig } from "./model/chainConfig.ts";

/** Common names of chains by id; case-insensitive. */
const NAMES: ReadonlyMap<number, readonly string[]> = new Map([
  [1, ["eth", "mainnet"]],
  [3, ["ropsten", "testnet"]],
  [4, ["rinkeby"]],
  [5, ["goerli"]],
  [42, ["kovan"]],
  [137, ["polygon", "matic"]],
  [80_001, ["mumbai", "matic testnet", "polygon testnet"]],
  [56, ["bsc", "binance", "binance smart chain"]],
  [97, ["bsc testnet", "binance testnet", "binance smart chain testnet"]],
  [43_114, ["avalanche", "avax"]],
  [43_113, ["avalanche testnet", "avax testnet", "fuji"]],
  [250, ["fantom", "ftm"]],
  [1_337, ["localdevchain", "ganache", "hardhat", "local devchain", "dev"]],
]);

/** The chain of requests that do not specify one. */
export const DEFAULT_CHAIN = "eth";

/** Creates a function that finds a configured chain by name (in any spelling) or by id in hex or decimal. */
export function createChainSelector<T extends { config: ChainConfig }>(
  chains: readonly T[],
): (selector: unknown) => T {
  const byName = new Map<string, T>();
  // Configured names take precedence over common names.
  for (const chain of chains)
    for (const name of configuredNames(chain.config)) if (!byName.has(name)) byName.set(name, chain);
  for (const chain of chains) {
    for (const name of NAMES.get(chain.config.id) ?? []) if (!byName.has(name)) byName.set(name, chain);
  }
  return (selector) => {
    const requested =
      selector === undefined || selector === null || selector === "" ? DEFAULT_CHAIN : selector;
    const name = typeof requested === "number" ? String(requested) : requested;
    if (typeof name !== "string") throw unknownChain(JSON.stringify(requested).slice(0, 64));
    const found = byName.get(normalize(name));
    if (found) return found;
    const wellKnown = wellKnownName(normalize(name));
    if (wellKnown !== undefined) throw notConfigured(name.slice(0, 64), wellKnown);
    throw unknownChain(name.slice(0, 64));
  };
}

function configuredNames({ id, name, aliases }: ChainConfig): string[] {
  return [`0x${id.toString(16)}`, String(id), name, ...aliases].map(normalize);
}

function normalize(name: string): string {
  return name.trim().toLowerCase().replaceAll("_", " ");
}

/** The common name of a chain given by any of its names or its id; used in setting names. */
function wellKnownName(name: string): string | undefined {
  const found = [...NAMES].find(
    ([id, names]) => names.includes(name) || name === `0x${id.toString(16)}` || name === String(id),
  );
  return found?.[1][0];
}

function notConfigured(name: string, wellKnown: string): ProtocolError {
  const variable = `PURSE_CHAIN_${wellKnown.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_RPC_URL`;
  return new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    `chain "${name}" is not configured on this server: set ${variable} to the URL of a node`,
    503,
  );
}

function unknownChain(name: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    `chain "${name}" is unknown: add it with PURSE_CHAIN_<NAME>_RPC_URL and _ID`,
    400,
  );
}
