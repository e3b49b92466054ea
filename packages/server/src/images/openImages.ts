import { join } from "node:path";
import type { Lifecycle } from "@purse/kernel";
import type { FilesStoreConfig } from "../config/filesStore.ts";
import { openBucket } from "../core/s3/openBucket.ts";
import { BucketImageCache } from "./bucketImageCache.ts";
import { DEFAULT_LIMITS, TransformedImages } from "./transformedImages.ts";

export interface ImagesDependencies {
  config: { dataDir: string; filesStore: FilesStoreConfig };
  lifecycle: Lifecycle;
  report(error: unknown, activity: string): void;
}

/** Opens the transformed images, which are cached where files are stored: in the data folder, or in the bucket. */
export function openImages({ config, lifecycle, report }: ImagesDependencies): TransformedImages {
  const { filesStore, dataDir } = config;
  const cache =
    filesStore.kind === "disk"
      ? join(dataDir, "thumbnails")
      : new BucketImageCache({
          openBucket: () => openBucket(filesStore),
          limits: DEFAULT_LIMITS,
          report: (error) => report(error, "the cache of images"),
        });
  const images = new TransformedImages(cache);
  lifecycle.onStop("thumbnails", () => images.stop());
  return images;
}
