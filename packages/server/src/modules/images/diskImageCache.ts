import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CacheLimits, type ImageCache, selectEvicted, usageOf } from "./imageCache.ts";

/** Caches images in a folder. */
export class DiskImageCache implements ImageCache {
  readonly #folder: string;
  readonly #limits: CacheLimits;
  /** Size of the cache; unknown before the first file is written. */
  #usage: CacheLimits | undefined;
  #eviction: Promise<void> | undefined;

  constructor(folder: string, limits: CacheLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  async read(key: string, maxAgeMs?: number): Promise<Buffer | undefined> {
    const path = join(this.#folder, key);
    try {
      if (maxAgeMs !== undefined && (await stat(path)).mtimeMs + maxAgeMs < Date.now()) return undefined;
      return await readFile(path);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  async write(key: string, image: Buffer): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const temporaryPath = join(this.#folder, `${randomUUID()}.part`);
    await writeFile(temporaryPath, image);
    await rename(temporaryPath, join(this.#folder, key));
    if (this.#usage) {
      this.#usage.files += 1;
      this.#usage.bytes += image.length;
    } else this.#usage = usageOf(await this.#list());
    if (this.#usage.files > this.#limits.files || this.#usage.bytes > this.#limits.bytes) {
      this.#eviction ??= this.#evict().finally(() => {
        this.#eviction = undefined;
      });
      await this.#eviction;
    }
  }

  async close(): Promise<void> {
    await this.#eviction;
  }

  async #evict(): Promise<void> {
    const files = await this.#list();
    const evicted = new Set(selectEvicted(files, this.#limits));
    await Promise.all([...evicted].map(({ path }) => rm(path, { force: true })));
    this.#usage = usageOf(files.filter((file) => !evicted.has(file)));
  }

  async #list(): Promise<{ path: string; modifiedAt: number; size: number }[]> {
    const names = await readdir(this.#folder);
    return Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const stats = await stat(path).catch(() => undefined);
        return { path, modifiedAt: stats?.mtimeMs ?? 0, size: stats?.size ?? 0 };
      }),
    );
  }
}
