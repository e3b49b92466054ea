import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { Lifecycle } from "../core/lifecycle.ts";
import { ImageResizer } from "./imageResizer.ts";

export interface ImageSource {
  /** Identifies the content: equal names mean equal images. */
  name: string;
  /** Reads the content, at most MAX_IMAGE_BYTES. */
  read(signal: AbortSignal): Promise<Uint8Array>;
  /** How long its thumbnail is valid, in ms; forever by default. */
  maxAgeMs?: number;
}

export interface ThumbnailLimits {
  /** Number of cached files and their total bytes; the oldest are evicted. */
  files?: number;
  bytes?: number;
  /** Time limits of reading and of resizing the content, in ms. */
  readMs?: number;
  resizeMs?: number;
  /** Memory limit of the resizing process, in MiB. */
  memoryMb?: number;
}

/** Standard widths; requested widths are rounded up, so that clients cannot fill the disk with sizes. */
export const WIDTHS = [64, 128, 256, 512, 1024] as const;
/** Maximum size of content to be resized, in bytes. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

const MAX_FILES = 20_000;
const MAX_BYTES = 2 * 1024 * 1024 * 1024;
const READ_MS = 15_000;
const MAX_CONCURRENT = 8;
const MAX_QUEUED = 100;
/** How long failures are remembered, in ms, and how many. */
const FAILURE_TTL_MS = 60_000;
const MAX_FAILURES = 2_000;

/** Creates and caches thumbnails: still WebP images without active content. */
export class Thumbnails {
  readonly #folder: string;
  readonly #limits: Required<ThumbnailLimits>;
  readonly #resizer: ImageResizer;
  readonly #inFlight = new Map<string, Promise<Buffer>>();
  readonly #failures = new Map<string, { error: ProtocolError; expiresAt: number }>();
  readonly #queue: (() => void)[] = [];
  #running = 0;
  /** Size of the cache; unknown before the first file is written. */
  #usage: { files: number; bytes: number } | undefined;
  #eviction: Promise<void> | undefined;

  constructor(folder: string, limits: ThumbnailLimits = {}) {
    this.#folder = folder;
    this.#limits = {
      files: MAX_FILES,
      bytes: MAX_BYTES,
      readMs: READ_MS,
      resizeMs: 10_000,
      memoryMb: 768,
      ...limits,
    };
    this.#resizer = new ImageResizer(this.#limits.resizeMs, this.#limits.memoryMb);
  }

  /** Opens the cache in the data folder of a server. */
  static open(config: { dataDir: string }, lifecycle: Lifecycle): Thumbnails {
    const thumbnails = new Thumbnails(join(config.dataDir, "thumbnails"));
    lifecycle.onStop("thumbnails", () => thumbnails.stop());
    return thumbnails;
  }

  /**
   * Returns a thumbnail of at most `width` pixels, as WebP. Rejects with ProtocolError: 404 if the content cannot be
   * read, 415 if it is not an image, 503 if the server is busy.
   */
  async get(source: ImageSource, width: number): Promise<Buffer> {
    const standardWidth = WIDTHS.find((each) => each >= width) ?? WIDTHS[WIDTHS.length - 1] ?? width;
    const content = createHash("sha256").update(source.name).digest("hex");
    const key = `${content}-${standardWidth}`;
    const cached = await this.#readCached(key, source.maxAgeMs);
    if (cached) return cached;
    // Invalid content fails in every width.
    this.#assertNotFailed(content);
    const creation = this.#inFlight.get(key) ?? this.#create(content, key, source, standardWidth);
    this.#inFlight.set(key, creation);
    return creation.finally(() => this.#inFlight.delete(key));
  }

  async stop(): Promise<void> {
    await this.#resizer.stop();
    await Promise.allSettled(this.#inFlight.values());
    await this.#eviction;
  }

  async #readCached(key: string, maxAgeMs: number | undefined): Promise<Buffer | undefined> {
    const path = join(this.#folder, key);
    try {
      if (maxAgeMs !== undefined && (await stat(path)).mtimeMs + maxAgeMs < Date.now()) return undefined;
      return await readFile(path);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  #assertNotFailed(key: string): void {
    const failure = this.#failures.get(key);
    if (!failure) return;
    if (failure.expiresAt > Date.now()) throw failure.error;
    this.#failures.delete(key);
  }

  async #create(contentKey: string, key: string, source: ImageSource, width: number): Promise<Buffer> {
    await this.#acquireSlot();
    try {
      const content = await source.read(AbortSignal.timeout(this.#limits.readMs));
      if (content.length > MAX_IMAGE_BYTES) throw invalidImage(`it is larger than ${MAX_IMAGE_BYTES} bytes`);
      const result = await this.#resizer.run({ content, width });
      if ("error" in result) throw invalidImage(result.error);
      const image = Buffer.from(result.image);
      await this.#store(key, image);
      return image;
    } catch (error) {
      if (error instanceof ProtocolError) this.#rememberFailure(contentKey, error);
      throw error;
    } finally {
      // The next in the queue takes over the slot.
      const next = this.#queue.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #acquireSlot(): Promise<void> {
    if (this.#running < MAX_CONCURRENT) {
      this.#running += 1;
      return;
    }
    if (this.#queue.length >= MAX_QUEUED) {
      throw new ProtocolError(ErrorCode.TIMEOUT, "Too many images are being resized: try again later.", 503);
    }
    await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  #rememberFailure(key: string, error: ProtocolError): void {
    const [oldest] = this.#failures.keys();
    if (this.#failures.size >= MAX_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(key, { error, expiresAt: Date.now() + FAILURE_TTL_MS });
  }

  async #store(key: string, image: Buffer): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const temporaryPath = join(this.#folder, `${randomUUID()}.part`);
    await writeFile(temporaryPath, image);
    await rename(temporaryPath, join(this.#folder, key));
    if (this.#usage) {
      this.#usage.files += 1;
      this.#usage.bytes += image.length;
    } else {
      const files = await this.#list();
      this.#usage = { files: files.length, bytes: sum(files) };
    }
    if (this.#usage.files > this.#limits.files || this.#usage.bytes > this.#limits.bytes) {
      this.#eviction ??= this.#evict().finally(() => {
        this.#eviction = undefined;
      });
      await this.#eviction;
    }
  }

  /** Evicts the oldest files until the cache is at nine tenths of its limits. */
  async #evict(): Promise<void> {
    const files = (await this.#list()).sort((a, b) => b.mtimeMs - a.mtimeMs);
    let bytes = 0;
    const evicted = files.filter(({ size }, index) => {
      bytes += size;
      return index >= this.#limits.files * RETAINED_SHARE || bytes > this.#limits.bytes * RETAINED_SHARE;
    });
    await Promise.all(evicted.map(({ path }) => rm(path, { force: true })));
    this.#usage = { files: files.length - evicted.length, bytes: sum(files) - sum(evicted) };
  }

  async #list(): Promise<CachedFile[]> {
    const names = await readdir(this.#folder);
    return Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const stats = await stat(path).catch(() => undefined);
        return { path, mtimeMs: stats?.mtimeMs ?? 0, size: stats?.size ?? 0 };
      }),
    );
  }
}

interface CachedFile {
  path: string;
  mtimeMs: number;
  /** In bytes. */
  size: number;
}

function sum(files: readonly CachedFile[]): number {
  return files.reduce((total, { size }) => total + size, 0);
}

const RETAINED_SHARE = 0.9;

export function invalidImage(reason: string): ProtocolError {
  const message = `The image cannot be resized: ${reason.slice(0, 200)}`;
  return new ProtocolError(ErrorCode.INVALID_IMAGE_DATA, message, 415);
}

/** Parses the requested width; undefined if none is requested. Throws 142 for an invalid one. */
export function requestedWidth(search: URLSearchParams): number | undefined {
  const text = search.get("width");
  if (text === null) return undefined;
  const width = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  const maxWidth = Math.max(...WIDTHS);
  if (width >= 1 && width <= maxWidth) return width;
  throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `width must be an integer from 1 to ${maxWidth}`, 400);
}
