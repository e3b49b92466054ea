import { join } from "node:path";
import { isPublicAddress } from "@purse/outbound";
import type { Config } from "../config/loadConfig.ts";
import type { Lifecycle } from "../core/lifecycle.ts";
import type { FileUrls } from "../data/fileUrls.ts";
import { type Ipfs, openIpfs } from "./ipfs.ts";
import { PinService } from "./pinService.ts";
import { createUriReader } from "./readUri.ts";

export interface IpfsService {
  ipfs: Ipfs;
  pins: PinService;
  /** Reads NFT metadata and images by their URI (`ipfs://`, `https://`, `data:` …). */
  fetchContent: ReturnType<typeof createUriReader>;
}

/** Opens the IPFS node of this server, and the configured Kubo node or gateway. */
export async function openIpfsService(
  config: Config,
  fileUrls: FileUrls,
  lifecycle: Lifecycle,
): Promise<IpfsService> {
  const ipfs = await lifecycle.open(
    "IPFS",
    () => openIpfs(join(config.dataDir, "ipfs"), config.ipfsRpcUrl),
    (opened) => opened.stop(),
  );
  const fetchContent = createUriReader({
    ipfs,
    ownGateway: fileUrls.gateway(),
    gateway: config.ipfsGateway,
    kuboRpc: config.ipfsRpcUrl,
    isAllowed: config.allowPrivateMetadata ? () => true : isPublicAddress,
  });
  return { ipfs, pins: new PinService(ipfs), fetchContent };
}
