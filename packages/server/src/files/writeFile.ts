import { type FileHandle, open } from "node:fs/promises";

/** How much is written at once, in bytes; where many files are written at once, less. */
const BATCH_BYTES = 1024 * 1024;
const SMALL_BATCH_BYTES = 128 * 1024;
const MANY = 32;

let writers = 0;

/**
 * Writes a new file and has it last past a power cut; while one batch is written the next one is gathered. The
 * pieces of the content are used up: whoever made them must not look at them again. Answers the size in bytes. Rejects with what the content fails with.
 */
export async function writeLastingFile(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  return writeBatches(path, content, (file) => file.sync());
}

/** The same for a file that need not last. */
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
      const pieces = batch;
      writing = writeAll(file, pieces, batchBytes);
      // Its failure is told when the next batch, or the end, asks for it.
      writing.catch(() => undefined);
      batch = [];
      batchBytes = 0;
    };
    for await (const piece of content) {
      size += piece.length;
      batch.push(piece);
      batchBytes += piece.length;
      if (batchBytes >= (writers > MANY ? SMALL_BATCH_BYTES : BATCH_BYTES)) await flush();
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

async function writeAll(file: FileHandle, pieces: Uint8Array[], bytes: number): Promise<void> {
  if (bytes === 0) return;
  const { bytesWritten } = await file.writev(pieces);
  // The system takes what it has room for.
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
  for (const piece of pieces) release(piece);
}

/** Gives memory back at once: left to the garbage collector, uploads would cost more of its time than of ours. */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
