import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { segmentFromDisk, segmentOnDisk } from "./fileNames.ts";
import { type FileStore, parseAttributes } from "./fileStore.ts";
import { readFileRange } from "./readFileRange.ts";
import { writeDurableFile } from "./writeFile.ts";

/** Stores files in a folder, spread over 256 subfolders by the hash of their names. */
export async function openDiskFileStore(folder: string): Promise<FileStore> {
  const temporaryFolder = join(folder, "partial");
  await mkdir(temporaryFolder, { recursive: true });
  await removeOldFiles(temporaryFolder);

  const pathOf = (kind: "content" | "about", name: string) => {
    const shard = createHash("sha256").update(name).digest("hex").slice(0, 2);
    return join(folder, kind, shard, ...name.split("/").map(segmentOnDisk));
  };
  const contentPath = (name: string) => pathOf("content", name);
  const attributesPath = (name: string) => `${pathOf("about", name)}.json`;

  /** Writes a file atomically and durably. Returns its size in bytes. */
  async function writeAtomically(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const temporary = join(temporaryFolder, randomBytes(16).toString("hex"));
    try {
      const size = await writeDurableFile(temporary, content);
      const parent = dirname(path);
      await mkdir(parent, { recursive: true });
      await rename(temporary, path);
      await syncFolder(parent);
      return size;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  return {
    write: (name, content) => writeAtomically(contentPath(name), content),

    async writeAttributes(name, about) {
      await writeAtomically(attributesPath(name), bytesOf(JSON.stringify(about)));
    },

    async open(name) {
      const path = contentPath(name);
      const stats = await undefinedIfMissing(stat(path));
      if (!stats?.isFile()) return undefined;
      return {
        size: stats.size,
        modifiedAt: stats.mtime,
        etag: `"${Math.trunc(stats.mtimeMs).toString(36)}-${stats.size.toString(36)}"`,
        read: (start, end) => readFileRange(path, start, end),
      };
    },

    async readAttributes(name) {
      const text = await undefinedIfMissing(readFile(attributesPath(name), "utf8"));
      return text === undefined ? undefined : parseAttributes(text);
    },

    async list(after, limit) {
      const content = join(folder, "content");
      const entries = await undefinedIfMissing(readdir(content, { recursive: true, withFileTypes: true }));
      const names = (entries ?? []).flatMap((entry) => {
        if (!entry.isFile()) return [];
        const [, ...name] = relative(content, join(entry.parentPath, entry.name)).split(sep);
        return [name.map(segmentFromDisk).join("/")];
      });
      return names
        .filter((name) => name > after)
        .sort()
        .slice(0, limit);
    },

    async remove(name) {
      const path = contentPath(name);
      if (!(await undefinedIfMissing(stat(path)))?.isFile()) return false;
      await rm(path, { force: true });
      await rm(attributesPath(name), { force: true });
      await syncFolder(dirname(path));
      return true;
    },
  };
}

/** Age of an incomplete file after which no process writes it any more, in ms. */
const MAX_WRITE_MS = 24 * 3_600_000;

/** Removes incomplete files of earlier runs; other processes may be writing newer ones. */
async function removeOldFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await undefinedIfMissing(stat(path));
    if (stats && Date.now() - stats.mtimeMs > MAX_WRITE_MS) await rm(path, { force: true });
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Flushes the entries of a folder to disk, where the system supports it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const MISSING_FILE_CODES: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/** Returns undefined if the file does not exist. */
async function undefinedIfMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Error && "code" in error && MISSING_FILE_CODES.has(error.code)) return undefined;
    throw error;
  }
}
