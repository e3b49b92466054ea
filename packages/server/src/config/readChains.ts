import type { ChainConfig } from "@purse/chain";
import { didYouMean } from "@purse/kernel";
import { isRecord } from "@purse/protocol";
import { CHAIN_VARIABLES, parseChain } from "./chains.ts";
import { parseEntryPoints } from "./entryPoints.ts";
import { LABEL_KEYS, parseLabels } from "./labels.ts";
import { MARKET_KEYS, parseMarket } from "./market.ts";
import { textFromFile } from "./textFromFile.ts";

/** The chains of the config file and of the environment, whose chains have the market and labels of the file. */
export function readChains(
  env: Record<string, string | undefined>,
  file: Record<string, unknown>,
  databaseConnections: number,
): ChainConfig[] {
  const chains = new Map<number, ChainConfig>();
  const fileChains: unknown = file.chains ?? {};
  if (!isRecord(fileChains))
    throw new Error('"chains" of the config file must be an object of chains by name');
  for (const [name, chain] of Object.entries(fileChains)) {
    if (!isRecord(chain))
      throw new Error(
        `"chains.${name}" of the config file must be { rpcUrl, id?, startBlock?, scope?, exchanges?, … }`,
      );
    assertKnownKeys(name, chain);
    const texts = readTexts((key) => textFromFile(chain[key]));
    const input = { ...texts, name, rpcUrl: textFromFile(chain.rpcUrl) ?? "" };
    const setting = parseChain(input, databaseConnections);
    const market = parseMarket(name, chain);
    const labels = parseLabels(name, chain);
    const entryPoints = parseEntryPoints(name, chain.entryPoints);
    chains.set(setting.id, {
      ...setting,
      ...(market && { market }),
      ...(labels && { labels }),
      ...(entryPoints && { entryPoints }),
    });
  }
  for (const [variable, rpcUrl] of Object.entries(env)) {
    const name = /^PURSE_CHAIN_([A-Z0-9_]+)_RPC_URL$/.exec(variable)?.[1];
    if (!name || !rpcUrl) continue;
    const texts = readTexts((_key, variable) => env[`PURSE_CHAIN_${name}_${variable}`] || undefined);
    const setting = parseChain({ ...texts, name, rpcUrl }, databaseConnections);
    const { market, labels, entryPoints } = chains.get(setting.id) ?? {};
    chains.set(setting.id, {
      ...setting,
      ...(market && { market }),
      ...(labels && { labels }),
      ...(entryPoints && { entryPoints }),
    });
  }
  return [...chains.values()];
}

function assertKnownKeys(name: string, chain: Record<string, unknown>): void {
  const known = ["rpcUrl", ...Object.keys(CHAIN_VARIABLES), ...MARKET_KEYS, ...LABEL_KEYS, "entryPoints"];
  const unknown = Object.keys(chain).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new Error(
    `"chains.${name}" of the config file: "${unknown}" is not known${didYouMean(unknown, known) || `: ${known.join(", ")} are`}`,
  );
}

/** Reads the optional settings of a chain, each by its key in the config file or the end of its variable's name. */
function readTexts(read: (key: string, variable: string) => string | undefined) {
  return Object.fromEntries(
    Object.entries(CHAIN_VARIABLES).map(([key, variable]) => [key, read(key, variable)]),
  );
}
