import { join } from "node:path";
import type { Lifecycle } from "@purse/kernel";
import { isPublicAddress } from "@purse/outbound";
import type { Config } from "../config/loadConfig.ts";
import { openBucket } from "../core/s3/openBucket.ts";
import type { FileUrls } from "../data/fileUrls.ts";
import { BucketContent } from "./bucketContent.ts";
import { type Ipfs, openIpfs } from "./ipfs.ts";
import { PinService } from "./pinService.ts";
import { createUriReader } from "./readUri.ts";

export interface IpfsService {
  ipfs: Ipfs;
  pins: PinService;
  /** Reads NFT metadata and images by their URI (`ipfs://`, `https://`, `data:` …). */
  fetchContent: ReturnType<typeof createUriReader>;
}

export interface IpfsServiceDependencies {
  config: Config;
  fileUrls: FileUrls;
  lifecycle: Lifecycle;
  report(error: unknown, activity: string): void;
}

/** Opens the IPFS content of this server, which is stored where files are, and the configured Kubo node or gateway. */
export async function openIpfsService(dependencies: IpfsServiceDependencies): Promise<IpfsService> {
  const { config, fileUrls, lifecycle, report } = dependencies;
  const { filesStore } = config;
  const bucket =
    filesStore.kind === "disk"
      ? undefined
      : new BucketContent({
          openBucket: () => openBucket(filesStore),
          report: (error) => report(error, "IPFS content in the file store"),
        });
  const ipfs = await lifecycle.open(
    "IPFS",
    () => openIpfs({ folder: join(config.dataDir, "ipfs"), kuboRpc: config.ipfsRpcUrl, bucket }),
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
