import { type FileHandle, open } from "node:fs/promises";

/** Bytes per write; fewer while many files are written concurrently. */
const BATCH_BYTES = 1024 * 1024;
const SMALL_BATCH_BYTES = 128 * 1024;
const MANY_WRITERS = 32;

let writers = 0;

/**
 * Writes a new file durably; the next batch is collected while one is written. Takes ownership of the chunks, which
 * callers must not read afterwards. Returns the size in bytes. Rejects with the error of the content.
 */
export async function writeDurableFile(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  return writeBatches(path, content, (file) => file.sync());
}

/** Writes a new file without flushing it to disk. */
export async function writeTemporaryFile(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  return writeBatches(path, content, async () => undefined);
}

async function writeBatches(
  path: string,
  content: AsyncIterable<Uint8Array>,
  finish: (file: FileHandle) => Promise<void>,
): Promise<number> {
  const file = await open(path, "wx");
  writers += 1;
  let writing: Promise<void> = Promise.resolve();
  try {
    let size = 0;
    let batch: Uint8Array[] = [];
    let batchBytes = 0;
    const flush = async () => {
      await writing;
      const chunks = batch;
      writing = writeAll(file, chunks, batchBytes);
      // A failure is thrown by the next flush or at the end.
      writing.catch(() => undefined);
      batch = [];
      batchBytes = 0;
    };
    for await (const chunk of content) {
      size += chunk.length;
      batch.push(chunk);
      batchBytes += chunk.length;
      if (batchBytes >= (writers > MANY_WRITERS ? SMALL_BATCH_BYTES : BATCH_BYTES)) await flush();
    }
    await flush();
    await writing;
    await finish(file);
    return size;
  } finally {
    writers -= 1;
    await Promise.allSettled([writing]);
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunks: Uint8Array[], bytes: number): Promise<void> {
  if (bytes === 0) return;
  const { bytesWritten } = await file.writev(chunks);
  // A write may be partial.
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
  for (const chunk of chunks) freeMemory(chunk);
}

/** Frees memory immediately: leaving it to the garbage collector would be slower. */
function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
