import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ChainConfig } from "./model/chainConfig.ts";

/** Names that clients give to chains, by id; compared without case. */
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

/** The chain that a call without one means. */
export const DEFAULT_CHAIN = "eth";

/** Finds the configured chain that a selector means: a name in any spelling, an id in hex or decimal. */
export function createChainSelector<T extends { config: ChainConfig }>(
  chains: readonly T[],
): (selector: unknown) => T {
  const byName = new Map<string, T>();
  // What the operator says goes before what is usual.
  for (const chain of chains)
    for (const name of ownNames(chain.config)) if (!byName.has(name)) byName.set(name, chain);
  for (const chain of chains) {
    for (const name of NAMES.get(chain.config.id) ?? []) if (!byName.has(name)) byName.set(name, chain);
  }
  return (selector) => {
    const asked = selector === undefined || selector === null || selector === "" ? DEFAULT_CHAIN : selector;
    const name = typeof asked === "number" ? String(asked) : asked;
    if (typeof name !== "string") throw unknownChain(JSON.stringify(asked).slice(0, 64));
    const found = byName.get(normalise(name));
    if (found) return found;
    const usual = usualName(normalise(name));
    if (usual !== undefined) throw notConfigured(name.slice(0, 64), usual);
    throw unknownChain(name.slice(0, 64));
  };
}

function ownNames({ id, name, aliases }: ChainConfig): string[] {
  return [`0x${id.toString(16)}`, String(id), name, ...aliases].map(normalise);
}

function normalise(name: string): string {
  return name.trim().toLowerCase().replaceAll("_", " ");
}

/** The name that settings have for a chain, whichever way it is called. */
function usualName(name: string): string | undefined {
  const found = [...NAMES].find(
    ([id, names]) => names.includes(name) || name === `0x${id.toString(16)}` || name === String(id),
  );
  return found?.[1][0];
}

function notConfigured(name: string, usual: string): ProtocolError {
  const variable = `PURSE_CHAIN_${usual.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_RPC_URL`;
  return new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    `chain "${name}" is not configured on this server: set ${variable} to a node of it`,
    503,
  );
}

function unknownChain(name: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    `chain "${name}" is not a chain that this server knows: PURSE_CHAIN_<NAME>_RPC_URL and _ID add one`,
    400,
  );
}
