import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { type FilesStoreConfig, parseFilesStore } from "../../config/filesStore.ts";
import type { Config } from "../../config/loadConfig.ts";
import { openBucket } from "../../core/s3/openBucket.ts";
import { copyBucket, copyFolder, FileCopies, type FileCounts } from "./fileCopies.ts";
import { copyGridFiles } from "./gridFs.ts";
import { openFileStore } from "./openFileStore.ts";

/** Where the files of another server come from. */
export type FileSource =
  /** A folder, or `s3://bucket/prefix?region=…`. */
  | string
  /** The documents of `fs.files` and `fs.chunks`, in the wire format. */
  | { files: AsyncIterable<JsonObject>; chunks: AsyncIterable<JsonObject> };

/**
 * Copies the files of another server into the store of this one, under their names. Those that are there already are left as they are,
 * so that a copy that was interrupted goes on. `onCopied` is called with the number of files that are there.
 */
export async function moveFiles(
  { dataDir, filesStore }: Pick<Config, "dataDir" | "filesStore">,
  source: FileSource,
  onCopied: (count: number) => void,
): Promise<FileCounts> {
  const spoolFolder = join(dataDir, "uploads");
  await mkdir(spoolFolder, { recursive: true });
  const errors: unknown[] = [];
  const store = await openFileStore({
    config: filesStore,
    folder: join(dataDir, "files"),
    spoolFolder,
    report: (error) => errors.push(error),
  });
  const copies = new FileCopies(store, onCopied);
  try {
    if (typeof source !== "string") await copyGridFiles(source, copies, spoolFolder);
    else {
      const bucket = bucketOf(source);
      if (bucket) await copyBucket(await openBucket(bucket), copies);
      else if (existsSync(source)) await copyFolder(resolve(source), copies);
      else throw new Error(`${resolve(source)} does not exist`);
    }
  } catch (error) {
    // Clients of a server do not see the details of S3; operators do.
    throw errors[0] ?? error;
  }
  return copies.counts;
}

function bucketOf(source: string): Exclude<FilesStoreConfig, { kind: "disk" }> | undefined {
  if (!source.startsWith("s3:")) return undefined;
  try {
    const config = parseFilesStore(source);
    return config.kind === "disk" ? undefined : config;
  } catch {
    throw new Error(
      "--files takes a folder, or s3://bucket/prefix?region=…&endpoint=https://…&forcePathStyle=1",
    );
  }
}
