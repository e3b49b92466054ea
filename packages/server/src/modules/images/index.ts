import { join } from "node:path";
import { defineModule } from "@purse/kernel";
import { openBucket } from "../../core/s3/openBucket.ts";
import { REPORT, SHARED_SETTINGS } from "../../module/tokens.ts";
import { BucketImageCache } from "./bucketImageCache.ts";
import { createImages } from "./images.ts";
import { IMAGES } from "./token.ts";
import { DEFAULT_LIMITS, TransformedImages } from "./transformedImages.ts";

/** Transformed images, which are cached where files are stored: in the data folder, or in the bucket. */
export const images = defineModule({
  name: "images",
  provides: IMAGES,
  needs: { shared: SHARED_SETTINGS, report: REPORT },
  open({ facts, shared: { filesStore }, report }) {
    const cache =
      filesStore.kind === "disk"
        ? join(facts.dataDir, "thumbnails")
        : new BucketImageCache({
            openBucket: () => openBucket(filesStore),
            limits: DEFAULT_LIMITS,
            report: (error) => report(error, "the cache of images"),
          });
    const transformed = new TransformedImages(cache);
    return { service: createImages(transformed), stop: () => transformed.stop() };
  },
});
