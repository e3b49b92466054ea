import type { ChainConfig } from "@purse/chain";
import { isRecord } from "@purse/protocol";
import { parseChain } from "./chains.ts";
import { parseEntryPoints } from "./entryPoints.ts";
import { parseLabels } from "./labels.ts";
import { parseMarket } from "./market.ts";
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
    const input = {
      name,
      rpcUrl: textFromFile(chain.rpcUrl) ?? "",
      id: textFromFile(chain.id),
      startBlock: textFromFile(chain.startBlock),
      scope: textFromFile(chain.scope),
      traces: textFromFile(chain.traces),
      databaseUrl: textFromFile(chain.databaseUrl),
      databaseDirectUrl: textFromFile(chain.databaseDirectUrl),
      partitionBlocks: textFromFile(chain.partitionBlocks),
      keepBlocks: textFromFile(chain.keepBlocks),
      keepDays: textFromFile(chain.keepDays),
    };
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
    const id = env[`PURSE_CHAIN_${name}_ID`] || undefined;
    const startBlock = env[`PURSE_CHAIN_${name}_START_BLOCK`] || undefined;
    const scope = env[`PURSE_CHAIN_${name}_SCOPE`] || undefined;
    const traces = env[`PURSE_CHAIN_${name}_TRACES`] || undefined;
    const databaseUrl = env[`PURSE_CHAIN_${name}_DATABASE_URL`] || undefined;
    const databaseDirectUrl = env[`PURSE_CHAIN_${name}_DATABASE_DIRECT_URL`] || undefined;
    const partitionBlocks = env[`PURSE_CHAIN_${name}_PARTITION_BLOCKS`] || undefined;
    const keepBlocks = env[`PURSE_CHAIN_${name}_KEEP_BLOCKS`] || undefined;
    const keepDays = env[`PURSE_CHAIN_${name}_KEEP_DAYS`] || undefined;
    const texts = {
      id,
      startBlock,
      scope,
      traces,
      databaseUrl,
      databaseDirectUrl,
      partitionBlocks,
      keepBlocks,
      keepDays,
    };
    const setting = parseChain({ name, rpcUrl, ...texts }, databaseConnections);
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
