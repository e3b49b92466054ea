import { createHash } from "node:crypto";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { FairQueue } from "../../core/limits/fairQueue.ts";
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

type Lane = "small" | "large";

/** What transforms images, one at a time each. */
type Transformers = Record<Lane, Pick<ImageTransformer, "run" | "stop">>;

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
/** Maximum side of small images, in pixels. */
const MAX_SMALL_SIDE = 512;
/** How long failures are remembered, in ms, and how many. */
const FAILURE_TTL_MS = 60_000;
const MAX_FAILURES = 2_000;

/** Creates and caches images of other sizes and formats: still ones without active content. */
export class TransformedImages {
  readonly #cache: ImageCache;
  readonly #limits: Required<TransformLimits>;
  /** The processes that transform images. Small images do not wait for large ones. */
  readonly #transformers: Transformers;
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
  constructor(cache: string | ImageCache, limits: TransformLimits = {}, transformers?: Transformers) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#cache = typeof cache === "string" ? new DiskImageCache(cache, this.#limits) : cache;
    const { transformMs, memoryMb } = this.#limits;
    this.#transformers = transformers ?? {
      small: new ImageTransformer(transformMs, memoryMb),
      large: new ImageTransformer(transformMs, memoryMb),
    };
  }

  /**
   * Returns the transformed image. `client` is the key of the client's address, by which clients take turns. Rejects with
   * ProtocolError: 404 if the content cannot be read, 415 if it is not an image, 429 or 503 if too many wait, 503 if it takes
   * too long.
   */
  async get(source: ImageSource, transform: ImageTransform, client: string): Promise<Buffer> {
    const content = createHash("sha256").update(source.name).digest("hex");
    const key = `${content}-${transformKey(transform)}`;
    const cached = await this.#cache.read(key, source.maxAgeMs);
    if (cached) return cached;
    // Invalid content fails in every size.
    this.#assertNotFailed(content);
    this.#assertNotFailed(key);
    // A client has one image at a time in each process, so that its large ones do not delay others by more than one.
    const lane = laneOf(transform);
    const creation =
      this.#inFlight.get(key) ??
      this.#queue.run({ key: client, group: `${lane} ${client}` }, () =>
        this.#create(content, key, source, { lane, transform }),
      );
    this.#inFlight.set(key, creation);
    return creation.finally(() => this.#inFlight.delete(key));
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#transformers).map((each) => each.stop()));
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
    { lane, transform }: { lane: Lane; transform: ImageTransform },
  ): Promise<Buffer> {
    try {
      const content = await source.read(AbortSignal.timeout(this.#limits.readMs));
      if (content.length > MAX_IMAGE_BYTES) throw invalidImage(`it is larger than ${MAX_IMAGE_BYTES} bytes`);
      const result = await this.#transformers[lane].run({ content, transform });
      if ("error" in result) {
        if (result.isLasting) throw invalidImage(result.error);
        const error = invalidImage(result.error, 503);
        this.#rememberFailure(key, error, this.#limits.transformMs);
        throw error;
      }
      const image = Buffer.from(result.image);
      await this.#cache.write(key, image);
      return image;
    } catch (error) {
      if (error instanceof ProtocolError && isLasting(error)) this.#rememberFailure(contentKey, error);
      throw error;
    }
  }

  #rememberFailure(key: string, error: ProtocolError, ttlMs = FAILURE_TTL_MS): void {
    const [oldest] = this.#failures.keys();
    if (this.#failures.size >= MAX_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(key, { error, expiresAt: Date.now() + ttlMs });
  }
}

/** Small images are those that pages show many of. AVIF takes many times as long as the other formats. */
function laneOf({ width, height, fit, format }: ImageTransform): Lane {
  const side = fit === "inside" ? Math.min(width, height) : Math.max(width, height);
  return format !== "avif" && side <= MAX_SMALL_SIDE ? "small" : "large";
}

/** Whether the content is the reason, and not a limit or a store that is unavailable at the moment. */
function isLasting({ status = 400 }: ProtocolError): boolean {
  return status < 500 && status !== 429;
}

export function invalidImage(reason: string, status = 415): ProtocolError {
  const message = `The image cannot be resized: ${reason.slice(0, 200)}`;
  return new ProtocolError(ErrorCode.INVALID_IMAGE_DATA, message, status);
}
