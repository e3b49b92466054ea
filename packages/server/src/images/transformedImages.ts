import { createHash } from "node:crypto";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { FairQueue } from "../core/limits/fairQueue.ts";
import { DiskImageCache } from "./diskImageCache.ts";
import type { ImageCache } from "./imageCache.ts";
import { type ImageTransform, transformKey } from "./imageTransform.ts";
import { ImageTransformer } from "./imageTransformer.ts";

export interface ImageSource {
  /** Identifies the content: equal names mean equal images. */
  name: string;
  /** Reads the content, at most MAX_IMAGE_BYTES. */
  read(signal: AbortSignal): Promise<Uint8Array>;
  /** How long transformed images are valid, in ms; forever by default. */
  maxAgeMs?: number;
}

export interface TransformLimits {
  /** Number of cached files and their total bytes; the oldest are evicted. */
  files?: number;
  bytes?: number;
  /** Time limits of reading and of transforming the content, in ms. */
  readMs?: number;
  transformMs?: number;
  /** Memory limit of the transforming process, in MiB. */
  memoryMb?: number;
}

/** Maximum size of content to be transformed, in bytes. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

export const DEFAULT_LIMITS: Required<TransformLimits> = {
  files: 20_000,
  bytes: 2 * 1024 * 1024 * 1024,
  readMs: 15_000,
  transformMs: 10_000,
  memoryMb: 768,
};
/** Images that are read and transformed concurrently; those that wait in all, and of one client. */
const MAX_CONCURRENT = 8;
const MAX_WAITING = 200;
const MAX_WAITING_PER_CLIENT = 100;
const MAX_WAIT_MS = 30_000;
/** How long failures are remembered, in ms, and how many. */
const FAILURE_TTL_MS = 60_000;
const MAX_FAILURES = 2_000;

/** Creates and caches images of other sizes and formats: still ones without active content. */
export class TransformedImages {
  readonly #cache: ImageCache;
  readonly #limits: Required<TransformLimits>;
  readonly #transformer: ImageTransformer;
  readonly #inFlight = new Map<string, Promise<Buffer>>();
  readonly #failures = new Map<string, { error: ProtocolError; expiresAt: number }>();
  readonly #queue = new FairQueue({
    concurrency: MAX_CONCURRENT,
    maxWaiting: MAX_WAITING,
    maxWaitingPerKey: MAX_WAITING_PER_CLIENT,
    maxWaitMs: MAX_WAIT_MS,
    message: "Too many images are being transformed: try again later.",
  });

  /** `cache` is a folder, or where else images are stored. */
  constructor(cache: string | ImageCache, limits: TransformLimits = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#cache = typeof cache === "string" ? new DiskImageCache(cache, this.#limits) : cache;
    this.#transformer = new ImageTransformer(this.#limits.transformMs, this.#limits.memoryMb);
  }

  /**
   * Returns the transformed image. `client` is the key of the client's address, by which clients take turns. Rejects with
   * ProtocolError: 404 if the content cannot be read, 415 if it is not an image, 429 or 503 if too many wait.
   */
  async get(source: ImageSource, transform: ImageTransform, client: string): Promise<Buffer> {
    const content = createHash("sha256").update(source.name).digest("hex");
    const key = `${content}-${transformKey(transform)}`;
    const cached = await this.#cache.read(key, source.maxAgeMs);
    if (cached) return cached;
    // Invalid content fails in every size.
    this.#assertNotFailed(content);
    const creation =
      this.#inFlight.get(key) ??
      this.#queue.run({ key: client }, () => this.#create(content, key, source, transform));
    this.#inFlight.set(key, creation);
    return creation.finally(() => this.#inFlight.delete(key));
  }

  async stop(): Promise<void> {
    await this.#transformer.stop();
    await Promise.allSettled(this.#inFlight.values());
    await this.#cache.close();
  }

  #assertNotFailed(key: string): void {
    const failure = this.#failures.get(key);
    if (!failure) return;
    if (failure.expiresAt > Date.now()) throw failure.error;
    this.#failures.delete(key);
  }

  async #create(
    contentKey: string,
    key: string,
    source: ImageSource,
    transform: ImageTransform,
  ): Promise<Buffer> {
    try {
      const content = await source.read(AbortSignal.timeout(this.#limits.readMs));
      if (content.length > MAX_IMAGE_BYTES) throw invalidImage(`it is larger than ${MAX_IMAGE_BYTES} bytes`);
      const result = await this.#transformer.run({ content, transform });
      if ("error" in result) throw invalidImage(result.error);
      const image = Buffer.from(result.image);
      await this.#cache.write(key, image);
      return image;
    } catch (error) {
      if (error instanceof ProtocolError && isLasting(error)) this.#rememberFailure(contentKey, error);
      throw error;
    }
  }

  #rememberFailure(key: string, error: ProtocolError): void {
    const [oldest] = this.#failures.keys();
    if (this.#failures.size >= MAX_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(key, { error, expiresAt: Date.now() + FAILURE_TTL_MS });
  }
}

/** Whether the content is the reason, and not a limit or a store that is unavailable at the moment. */
function isLasting({ status = 400 }: ProtocolError): boolean {
  return status < 500 && status !== 429;
}

export function invalidImage(reason: string): ProtocolError {
  const message = `The image cannot be resized: ${reason.slice(0, 200)}`;
  return new ProtocolError(ErrorCode.INVALID_IMAGE_DATA, message, 415);
}
