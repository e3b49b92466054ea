import type { Bucket } from "../../core/s3/bucket.ts";
import { type CacheLimits, type ImageCache, selectEvicted, usageOf } from "./imageCache.ts";

type ImageBucket = Pick<Bucket, "read" | "put" | "list" | "remove">;

export interface BucketImageCacheOptions {
  /** Opens the bucket when the first image is needed. */
  openBucket(): Promise<ImageBucket>;
  limits: CacheLimits;
  /** Called with errors of S3: an image is created again if the cache cannot be read. */
  report(error: unknown): void;
}

const PREFIX = "thumbnails/";
const MAX_IMAGE_BYTES = 64 * 1024 * 1024;
/** Several servers write: after so many images of its own, each counts all of them again. */
const WRITES_PER_COUNT = 1_000;

/** Caches images in a bucket, for all servers that use it. Its failures are not those of the images. */
export class BucketImageCache implements ImageCache {
  readonly #options: BucketImageCacheOptions;
  #bucket: Promise<ImageBucket> | undefined;
  #writes = 0;
  #eviction: Promise<void> | undefined;

  constructor(options: BucketImageCacheOptions) {
    this.#options = options;
  }

  async read(key: string, maxAgeMs?: number): Promise<Buffer | undefined> {
    try {
      const bucket = await this.#open();
      const image = await bucket.read(PREFIX + key, MAX_IMAGE_BYTES);
      const isExpired = image && maxAgeMs !== undefined && image.modifiedAt + maxAgeMs < Date.now();
      return isExpired ? undefined : image?.bytes;
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  async write(key: string, image: Buffer): Promise<void> {
    try {
      const bucket = await this.#open();
      await bucket.put(PREFIX + key, image, `image/${key.slice(key.lastIndexOf(".") + 1)}`);
      this.#writes += 1;
      if (this.#writes % Math.min(WRITES_PER_COUNT, this.#options.limits.files) !== 0) return;
      this.#eviction ??= this.#evict(bucket)
        .catch(this.#options.report)
        .finally(() => {
          this.#eviction = undefined;
        });
    } catch (error) {
      this.#options.report(error);
    }
  }

  async close(): Promise<void> {
    await this.#eviction;
  }

  #open(): Promise<ImageBucket> {
    this.#bucket ??= this.#options.openBucket().catch((error: unknown) => {
      this.#bucket = undefined;
      throw error;
    });
    return this.#bucket;
  }

  async #evict(bucket: ImageBucket): Promise<void> {
    const { limits } = this.#options;
    const images = await bucket.list(PREFIX);
    const { files, bytes } = usageOf(images);
    if (files <= limits.files && bytes <= limits.bytes) return;
    for (const { key } of selectEvicted(images, limits)) await bucket.remove(key);
  }
}
