import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { JsonObject } from "@purse/protocol";
import type { Bucket } from "../../core/s3/bucket.ts";
import { isValidStoredName } from "./fileNames.ts";
import { type FileStore, MAX_ATTRIBUTES_BYTES } from "./fileStore.ts";

/** What copying files has done. */
export interface FileCounts {
  copied: number;
  /** In bytes, of those that were copied. */
  bytes: number;
  /** Those that the store had already, with the same size. */
  present: number;
  /** Names with the reason why they were not copied. */
  failed: string[];
}

/** Copies files of another server into the store, under their names. What is there already is left as it is. */
export class FileCopies {
  readonly counts: FileCounts = { copied: 0, bytes: 0, present: 0, failed: [] };
  readonly #store: FileStore;
  readonly #onCopied: (count: number) => void;

  /** `onCopied` is called with the number of files that are there, after each one. */
  constructor(store: FileStore, onCopied: (count: number) => void) {
    this.#store = store;
    this.#onCopied = onCopied;
  }

  /** Whether a file has to be copied: it has a valid name, and the store does not have it yet. Counts it otherwise. */
  async isWanted(name: string, size: number): Promise<boolean> {
    if (!isValidStoredName(name)) {
      this.fail(name, "a file cannot have this name");
      return false;
    }
    if ((await this.#store.open(name))?.size !== size) return true;
    this.counts.present += 1;
    return false;
  }

  async copy(name: string, size: number, content: () => AsyncIterable<Uint8Array>): Promise<void> {
    await this.#store.write(name, content());
    this.counts.copied += 1;
    this.counts.bytes += size;
    this.#onCopied(this.counts.copied + this.counts.present);
  }

  /** Stores metadata of a file, unless there is none. */
  async describe(name: string, metadata: JsonObject): Promise<void> {
    if (Object.keys(metadata).length === 0) return;
    if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_ATTRIBUTES_BYTES / 2)
      this.fail(name, "it is copied without its metadata, which are too large");
    else await this.#store.writeAttributes(name, { metadata, tags: {} });
  }

  fail(name: string, reason: string): void {
    this.counts.failed.push(`${name.slice(0, 200)}: ${reason}`);
  }
}

/** Copies all files of a folder, as file adapters of Parse Server write them; those of subfolders have their path as name. */
export async function copyFolder(folder: string, copies: FileCopies): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join("/");
    const { size } = await stat(path);
    if (await copies.isWanted(name, size)) await copies.copy(name, size, () => createReadStream(path));
  }
}

/** Copies all objects below the prefix of a bucket, under their keys without it. */
export async function copyBucket(bucket: Pick<Bucket, "list" | "get">, copies: FileCopies): Promise<void> {
  for (const { key, size } of await bucket.list("")) {
    if (key.endsWith("/") || !(await copies.isWanted(key, size))) continue;
    const object = await bucket.get(key);
    if (object) await copies.copy(key, object.size, () => object.content);
    else copies.fail(key, "it was removed meanwhile");
  }
}
