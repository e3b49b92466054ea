import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { PictureTasks } from "./pictureTasks.ts";

export interface Source {
  /** Names the content: what has the same name is the same picture. */
  name: string;
  /** The content, of MAX_PICTURE bytes at most. */
  read(signal: AbortSignal): Promise<Uint8Array>;
  /** How long its thumbnail counts, in ms; for ever where it is not given. */
  maxAgeMs?: number;
}

export interface ThumbnailLimits {
  /** Files in the folder, and their bytes together; the oldest go. */
  files?: number;
  bytes?: number;
  /** To read the content, and to make it smaller, in ms. */
  readMs?: number;
  pictureMs?: number;
  /** Of the process that makes them, in MiB. */
  memoryMb?: number;
}

/** Widths that are made; others are made as the next larger one, so that nobody fills the disk with sizes. */
export const WIDTHS = [64, 128, 256, 512, 1024] as const;
/** Largest content that is made smaller, in bytes. */
export const MAX_PICTURE = 20 * 1024 * 1024;

const MAX_FILES = 20_000;
const MAX_BYTES = 2 * 1024 * 1024 * 1024;
const READ_MS = 15_000;
const AT_ONCE = 8;
const MAX_WAITING = 100;
/** How long what could not be read, or was no picture, is not tried again, and how many are remembered. */
const REFUSED_MS = 60_000;
const MAX_REFUSED = 2_000;

/** Small pictures of large ones, kept on the disk: still, as WebP, with nothing in them that runs. */
export class Thumbnails {
  readonly #folder: string;
  readonly #limits: Required<ThumbnailLimits>;
  readonly #tasks: PictureTasks;
  readonly #making = new Map<string, Promise<Buffer>>();
  readonly #refused = new Map<string, { error: ProtocolError; until: number }>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** What is in the folder; unknown before the first file is written. */
  #held: { files: number; bytes: number } | undefined;
  #clearing: Promise<void> | undefined;

  constructor(folder: string, limits: ThumbnailLimits = {}) {
    this.#folder = folder;
    this.#limits = {
      files: MAX_FILES,
      bytes: MAX_BYTES,
      readMs: READ_MS,
      pictureMs: 10_000,
      memoryMb: 768,
      ...limits,
    };
    this.#tasks = new PictureTasks(this.#limits.pictureMs, this.#limits.memoryMb);
  }

  /**
   * A picture of `width` pixels at most, as WebP. Rejects with ProtocolError: 404 where the content cannot be read, 415
   * where it is no picture, 503 where too much is being done.
   */
  async of(source: Source, width: number): Promise<Buffer> {
    const step = WIDTHS.find((each) => each >= width) ?? WIDTHS[WIDTHS.length - 1] ?? width;
    const content = createHash("sha256").update(source.name).digest("hex");
    const key = `${content}-${step}`;
    const kept = await this.#kept(key, source.maxAgeMs);
    if (kept) return kept;
    // What is no picture is none in any width.
    this.#assertNotRefused(content);
    const making = this.#making.get(key) ?? this.#make(content, key, source, step);
    this.#making.set(key, making);
    return making.finally(() => this.#making.delete(key));
  }

  async stop(): Promise<void> {
    await this.#tasks.stop();
    await Promise.allSettled(this.#making.values());
    await this.#clearing;
  }

  async #kept(key: string, maxAgeMs: number | undefined): Promise<Buffer | undefined> {
    const path = join(this.#folder, key);
    try {
      if (maxAgeMs !== undefined && (await stat(path)).mtimeMs + maxAgeMs < Date.now()) return undefined;
      return await readFile(path);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  #assertNotRefused(key: string): void {
    const refused = this.#refused.get(key);
    if (!refused) return;
    if (refused.until > Date.now()) throw refused.error;
    this.#refused.delete(key);
  }

  async #make(contentKey: string, key: string, source: Source, width: number): Promise<Buffer> {
    await this.#turn();
    try {
      const content = await source.read(AbortSignal.timeout(this.#limits.readMs));
      if (content.length > MAX_PICTURE) throw noPicture(`it is larger than ${MAX_PICTURE} bytes`);
      const answer = await this.#tasks.run({ content, width });
      if ("problem" in answer) throw noPicture(answer.problem);
      const picture = Buffer.from(answer.picture);
      await this.#keep(key, picture);
      return picture;
    } catch (error) {
      if (error instanceof ProtocolError) this.#refuse(contentKey, error);
      throw error;
    } finally {
      // Whoever waits takes the place over.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) {
      throw new ProtocolError(ErrorCode.TIMEOUT, "Too many pictures are being made: ask again later.", 503);
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #refuse(key: string, error: ProtocolError): void {
    const [oldest] = this.#refused.keys();
    if (this.#refused.size >= MAX_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
    this.#refused.set(key, { error, until: Date.now() + REFUSED_MS });
  }

  async #keep(key: string, picture: Buffer): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const draft = join(this.#folder, `${randomUUID()}.part`);
    await writeFile(draft, picture);
    await rename(draft, join(this.#folder, key));
    if (this.#held) {
      this.#held.files += 1;
      this.#held.bytes += picture.length;
    } else {
      const files = await this.#list();
      this.#held = { files: files.length, bytes: sum(files) };
    }
    if (this.#held.files > this.#limits.files || this.#held.bytes > this.#limits.bytes) {
      this.#clearing ??= this.#clear().finally(() => {
        this.#clearing = undefined;
      });
      await this.#clearing;
    }
  }

  /** Leaves the newest nine tenths of what may be there. */
  async #clear(): Promise<void> {
    const files = (await this.#list()).sort((a, b) => b.mtimeMs - a.mtimeMs);
    let bytes = 0;
    const old = files.filter(({ size }, index) => {
      bytes += size;
      return index >= this.#limits.files * KEPT_SHARE || bytes > this.#limits.bytes * KEPT_SHARE;
    });
    await Promise.all(old.map(({ path }) => rm(path, { force: true })));
    this.#held = { files: files.length - old.length, bytes: sum(files) - sum(old) };
  }

  async #list(): Promise<KeptFile[]> {
    const names = await readdir(this.#folder);
    return Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const about = await stat(path).catch(() => undefined);
        return { path, mtimeMs: about?.mtimeMs ?? 0, size: about?.size ?? 0 };
      }),
    );
  }
}

interface KeptFile {
  path: string;
  mtimeMs: number;
  /** In bytes. */
  size: number;
}

function sum(files: readonly KeptFile[]): number {
  return files.reduce((total, { size }) => total + size, 0);
}

const KEPT_SHARE = 0.9;

export function noPicture(why: string): ProtocolError {
  const message = `This cannot be made into a small picture: ${why.slice(0, 200)}`;
  return new ProtocolError(ErrorCode.INVALID_IMAGE_DATA, message, 415);
}

/** The width that somebody asks for; undefined where they ask for none. Throws 142 for what is none. */
export function askedWidth(search: URLSearchParams): number | undefined {
  const text = search.get("width");
  if (text === null) return undefined;
  const width = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  const most = Math.max(...WIDTHS);
  if (width >= 1 && width <= most) return width;
  throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `width must be a whole number from 1 to ${most}`, 400);
}
