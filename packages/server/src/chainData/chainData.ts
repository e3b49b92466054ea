import { hkdfSync } from "node:crypto";
import { join } from "node:path";
import {
  type ChainConfig,
  type ChainService,
  type ChainServiceConfig,
  createChainService,
} from "@purse/chain";
import type { Config } from "../config/loadConfig.ts";
import type { NamesConfig } from "../config/nameServices.ts";
import type { Logger } from "../core/logger.ts";
import { currentTracer } from "../core/tracing/tracing.ts";
import { recordRange } from "./traceIndexedRange.ts";

export interface ChainDataDependencies {
  config: Config;
  chains: ChainConfig[];
  ipfs: Required<Pick<ChainServiceConfig, "uploadFolder" | "fetchContent">>;
  logger: Logger;
}

/** Creates the service of the data API: the index of the configured chains, names, tokens, NFTs and uploads to IPFS. */
export function createChainData(dependencies: ChainDataDependencies): ChainService {
  const { config, chains, ipfs, logger } = dependencies;
  return createChainService({
    chains: chains.map((chain) => withNameServices(chain, config.names)),
    nameGateways: config.names.gateways,
    database: {
      ...(config.database.kind === "postgres"
        ? config.database
        : { kind: "sqlite", folder: join(config.dataDir, "chains") }),
      ...(config.clickHouseUrl !== undefined && { clickHouseUrl: config.clickHouseUrl }),
    },
    log: logger,
    canIndex: config.roles.includes("chain"),
    ...(currentTracer() && { onIndexed: recordRange }),
    ...ipfs,
    cursorKey: new Uint8Array(hkdfSync("sha256", config.masterKey, "", "data API cursors", 32)),
  });
}

/** Adds the configured name service contracts to a chain. */
function withNameServices(chain: ChainConfig, { ens, unstoppable }: NamesConfig): ChainConfig {
  const [registry, reader] = [ens[chain.id], unstoppable[chain.id]];
  const own = { ...(registry && { ens: registry }), ...(reader && { unstoppable: reader }) };
  return Object.keys(own).length > 0 ? { ...chain, names: { ...chain.names, ...own } } : chain;
}
