import type { ProtocolError } from "@purse/protocol";
import type { ChainConfig } from "./model/chainConfig.ts";
import { invalid } from "./model/requestErrors.ts";
import { chainPresetOf, findChainPreset, normalizeChainName } from "./presets/chainPresets.ts";

/** The chain of requests that do not specify one. */
const DEFAULT_CHAIN = "eth";

/** Creates a function that finds a configured chain by name (in any spelling) or by id in hex or decimal. */
export function createChainSelector<T extends { config: ChainConfig }>(
  chains: readonly T[],
): (selector: unknown) => T {
  const byName = new Map<string, T>();
  // Configured names take precedence over common names.
  for (const chain of chains)
    for (const name of configuredNames(chain.config)) if (!byName.has(name)) byName.set(name, chain);
  for (const chain of chains) {
    for (const name of presetNames(chain.config.id)) if (!byName.has(name)) byName.set(name, chain);
  }
  return (selector) => {
    const requested =
      selector === undefined || selector === null || selector === "" ? DEFAULT_CHAIN : selector;
    const name = typeof requested === "number" ? String(requested) : requested;
    if (typeof name !== "string") throw unknownChain(JSON.stringify(requested).slice(0, 64));
    const found = byName.get(normalizeChainName(name));
    if (found) return found;
    const preset = findChainPreset(name);
    if (preset) throw notConfigured(name.slice(0, 64), preset.name);
    throw unknownChain(name.slice(0, 64));
  };
}

function configuredNames({ id, name, aliases }: ChainConfig): string[] {
  return [`0x${id.toString(16)}`, String(id), name, ...aliases].map(normalizeChainName);
}

function presetNames(id: number): string[] {
  const preset = chainPresetOf(id);
  return preset ? [preset.name, ...preset.aliases].map(normalizeChainName) : [];
}

function notConfigured(name: string, wellKnown: string): ProtocolError {
  const variable = `PURSE_CHAIN_${wellKnown.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_RPC_URL`;
  return invalid(`chain "${name}" is not configured on this server: set ${variable} to the URL of a node`);
}

function unknownChain(name: string): ProtocolError {
  return invalid(`chain "${name}" is unknown: add it with PURSE_CHAIN_<NAME>_RPC_URL and _ID`);
}
