import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, isWireDate, type JsonObject, type JsonValue } from "@purse/protocol";
import type { FileCopies } from "./fileCopies.ts";

/** A file of GridFS, whose content is in chunks. */
interface GridFile {
  name: string;
  /** In bytes. */
  length: number;
  chunkSize: number;
  /** Bytes that have been read, and the numbers of their chunks. */
  received: number;
  numbers: Set<number>;
  metadata: JsonObject;
}

/** A chunk of a file. */
interface GridChunk {
  fileId: string;
  /** From 0. */
  number: number;
  bytes: Uint8Array;
}

/**
 * Copies the files of GridFS: of each name, the last upload. Files of one chunk are copied as they are read; larger ones are
 * put together in `spoolFolder`, as chunks of several files may alternate. The documents are in the wire format. Throws Error for
 * one that is no file or chunk.
 */
export async function copyGridFiles(
  { files, chunks }: { files: AsyncIterable<JsonObject>; chunks: AsyncIterable<JsonObject> },
  copies: FileCopies,
  spoolFolder: string,
): Promise<void> {
  const wanted = await filesToCopy(files, copies);
  const spoolPath = (id: string) => join(spoolFolder, `gridfs-${id.replace(/[^\w-]/g, "_")}`);
  const begun = new Set<string>();
  try {
    for await (const document of chunks) {
      const { fileId, number, bytes } = gridChunk(document);
      const file = wanted.get(fileId);
      if (!file || file.numbers.has(number)) continue;
      const position = number * file.chunkSize;
      if (position + bytes.length > file.length) {
        copies.fail(file.name, `its chunk ${number} is outside of its ${file.length} bytes`);
        wanted.delete(fileId);
        continue;
      }
      file.numbers.add(number);
      file.received += bytes.length;
      if (bytes.length === file.length) await copies.copy(file.name, bytes.length, () => once(bytes));
      else {
        await writeAt(spoolPath(fileId), bytes, position, !begun.has(fileId));
        begun.add(fileId);
        if (file.received < file.length) continue;
        await copies.copy(file.name, file.length, () => createReadStream(spoolPath(fileId)));
        await rm(spoolPath(fileId));
        begun.delete(fileId);
      }
      await copies.describe(file.name, file.metadata);
      wanted.delete(fileId);
    }
  } finally {
    for (const id of begun) await rm(spoolPath(id), { force: true });
  }
  for (const { name, length, received, metadata } of wanted.values()) {
    if (length > 0) {
      copies.fail(name, `${received} of ${length} bytes are in the dump`);
      continue;
    }
    await copies.copy(name, 0, () => once(new Uint8Array()));
    await copies.describe(name, metadata);
  }
}

/** The files that are not there yet, by their ids. */
async function filesToCopy(
  files: AsyncIterable<JsonObject>,
  copies: FileCopies,
): Promise<Map<string, GridFile>> {
  const last = new Map<string, { id: string; uploadedAt: string; file: GridFile }>();
  for await (const { _id, filename, length, chunkSize, uploadDate, metadata } of files) {
    const uploadedAt = isWireDate(uploadDate) ? uploadDate.iso : "";
    if (typeof filename !== "string" || !isSize(length) || !isSize(chunkSize) || chunkSize === 0)
      throw new Error(`fs.files: the document ${JSON.stringify(_id)} is no file of GridFS`);
    if (uploadedAt < (last.get(filename)?.uploadedAt ?? "")) continue;
    const file = {
      name: filename,
      length,
      chunkSize,
      received: 0,
      numbers: new Set<number>(),
      metadata: isJsonObject(metadata) ? metadata : {},
    };
    last.set(filename, { id: String(_id), uploadedAt, file });
  }
  const wanted = new Map<string, GridFile>();
  for (const { id, file } of last.values())
    if (await copies.isWanted(file.name, file.length)) wanted.set(id, file);
  return wanted;
}

function isSize(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** The chunk that a document describes. Throws Error. */
function gridChunk({ _id, files_id, n, data }: JsonObject): GridChunk {
  const base64 = isJsonObject(data) && data.__type === "Bytes" ? data.base64 : undefined;
  if (typeof base64 !== "string" || files_id === undefined || !isSize(n))
    throw new Error(`fs.chunks: the document ${JSON.stringify(_id)} is no chunk of GridFS`);
  return { fileId: String(files_id), number: n, bytes: Buffer.from(base64, "base64") };
}

async function writeAt(path: string, bytes: Uint8Array, position: number, isFirst: boolean): Promise<void> {
  const handle = await open(path, isFirst ? "w" : "r+");
  try {
    await handle.write(bytes, 0, bytes.length, position);
  } finally {
    await handle.close();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
