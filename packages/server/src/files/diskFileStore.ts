import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { type FileStore, parseAbout } from "./fileStore.ts";
import { readFilePart } from "./readFile.ts";
import { writeLastingFile } from "./writeFile.ts";

/** Files in a folder, spread over 256 sub-folders by the hash of their names. */
export async function openDiskFileStore(folder: string): Promise<FileStore> {
  const partial = join(folder, "partial");
  // What an earlier run left half written is of no use.
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });

  const pathOf = (kind: "content" | "about", name: string) => {
    const fan = createHash("sha256").update(name).digest("hex").slice(0, 2);
    return join(folder, kind, fan, ...name.split("/"));
  };
  const contentPath = (name: string) => pathOf("content", name);
  const aboutPath = (name: string) => `${pathOf("about", name)}.json`;

  /** All at once or not at all, and past a power cut. Answers the size in bytes. */
  async function place(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const temporary = join(partial, randomBytes(16).toString("hex"));
    try {
      const size = await writeLastingFile(temporary, content);
      const parent = dirname(path);
      await mkdir(parent, { recursive: true });
      await rename(temporary, path);
      await settle(parent);
      return size;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  return {
    write: (name, content) => place(contentPath(name), content),

    async describe(name, about) {
      await place(aboutPath(name), bytesOf(JSON.stringify(about)));
    },

    async open(name) {
      const path = contentPath(name);
      const found = await absent(stat(path));
      if (!found?.isFile()) return undefined;
      return {
        size: found.size,
        modifiedAt: found.mtime,
        etag: `"${Math.trunc(found.mtimeMs).toString(36)}-${found.size.toString(36)}"`,
        read: (start, end) => readFilePart(path, start, end),
      };
    },

    async about(name) {
      const text = await absent(readFile(aboutPath(name), "utf8"));
      return text === undefined ? undefined : parseAbout(text);
    },

    async list(after, limit) {
      const content = join(folder, "content");
      const entries = await absent(readdir(content, { recursive: true, withFileTypes: true }));
      const names = (entries ?? []).flatMap((entry) => {
        if (!entry.isFile()) return [];
        const [, ...name] = relative(content, join(entry.parentPath, entry.name)).split(sep);
        return [name.join("/")];
      });
      return names
        .filter((name) => name > after)
        .sort()
        .slice(0, limit);
    },

    async remove(name) {
      const path = contentPath(name);
      if (!(await absent(stat(path)))?.isFile()) return false;
      await rm(path, { force: true });
      await rm(aboutPath(name), { force: true });
      await settle(dirname(path));
      return true;
    },
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Has the disk remember what stands in a folder, where the system knows how. */
async function settle(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const ABSENT: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/** Undefined where there is no such file. */
async function absent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Error && "code" in error && ABSENT.has(error.code)) return undefined;
    throw error;
  }
}
