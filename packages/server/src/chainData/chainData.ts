import { hkdfSync } from "node:crypto";
import { join } from "node:path";
import { type ChainConfig, type ChainService, createChainService } from "@purse/chain";
import type { Config } from "../config/loadConfig.ts";
import type { NamesConfig } from "../config/nameServices.ts";
import type { Logger } from "../core/logger.ts";
import { currentTracer } from "../core/tracing/tracing.ts";
import type { FileUrls } from "../data/fileUrls.ts";
import { type IpfsService, uploadFolder } from "../ipfs/index.ts";
import { recordRange } from "./traceIndexedRange.ts";

export interface ChainDataDependencies {
  config: Config;
  chains: ChainConfig[];
  ipfs: IpfsService;
  fileUrls: FileUrls;
  /** Reserves disk space for an upload of this size. Resolves to what releases it; rejects if there is not enough. */
  reserveUpload(bytes: number): Promise<() => void>;
  logger: Logger;
}

/** Creates the service of the data API: the index of the configured chains, names, tokens, NFTs and uploads to IPFS. */
export function createChainData(dependencies: ChainDataDependencies): ChainService {
  const { config, chains, ipfs, fileUrls, logger } = dependencies;
  const folderUpload = {
    ipfs: ipfs.ipfs,
    gateway: fileUrls.gateway(),
    maxFileBytes: config.maxUploadSize,
    reserve: dependencies.reserveUpload,
  };
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
    uploadFolder: (folder) => uploadFolder(folderUpload, folder),
    fetchContent: ipfs.fetchContent,
    cursorKey: new Uint8Array(hkdfSync("sha256", config.masterKey, "", "data API cursors", 32)),
  });
}

/** Adds the configured name service contracts to a chain. */
function withNameServices(chain: ChainConfig, { ens, unstoppable }: NamesConfig): ChainConfig {
  const [registry, reader] = [ens[chain.id], unstoppable[chain.id]];
  const own = { ...(registry && { ens: registry }), ...(reader && { unstoppable: reader }) };
  return Object.keys(own).length > 0 ? { ...chain, names: { ...chain.names, ...own } } : chain;
}
