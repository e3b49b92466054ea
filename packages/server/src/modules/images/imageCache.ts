/** Stores created images by keys of hexadecimal digits, letters, `-` and `.`. */
export interface ImageCache {
  /** Returns an image that is not older than `maxAgeMs` (of any age by default); undefined if there is none. */
  read(key: string, maxAgeMs?: number): Promise<Buffer | undefined>;
  /** Stores an image, and evicts the oldest ones beyond the limits. */
  write(key: string, image: Buffer): Promise<void>;
  /** Waits for work in progress. */
  close(): Promise<void>;
}

/** Number of cached images and their total bytes. */
export interface CacheLimits {
  files: number;
  bytes: number;
}

interface CachedImage {
  /** In bytes. */
  size: number;
  /** In ms since the epoch. */
  modifiedAt: number;
}

const RETAINED_SHARE = 0.9;

/** The size of a cache. */
export function usageOf(images: readonly CachedImage[]): CacheLimits {
  return { files: images.length, bytes: images.reduce((total, { size }) => total + size, 0) };
}

/** Selects the oldest images, so that the others take nine tenths of the limits. */
export function selectEvicted<T extends CachedImage>(images: readonly T[], limits: CacheLimits): T[] {
  let bytes = 0;
  return images
    .toSorted((a, b) => b.modifiedAt - a.modifiedAt)
    .filter(({ size }, index) => {
      bytes += size;
      return index >= limits.files * RETAINED_SHARE || bytes > limits.bytes * RETAINED_SHARE;
    });
}
