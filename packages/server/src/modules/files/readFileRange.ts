import { open } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1024;
const MAX_FREE_BUFFERS = 32;

/** Buffers for reuse: allocating one per chunk would load the garbage collector more than the disk. */
const freeBuffers: Buffer[] = [];

/**
 * Reads a range of a file, `start` to `end` inclusive. A chunk is valid only until the next one is requested, because
 * the next one is read ahead.
 */
export async function* readFileRange(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  const isLarge = end - start + 1 > CHUNK_BYTES;
  const allocateBuffer = () =>
    (isLarge && freeBuffers.pop()) || Buffer.allocUnsafe(Math.min(end - start + 1, CHUNK_BYTES));
  const buffers = isLarge ? [allocateBuffer(), allocateBuffer()] : [allocateBuffer()];
  let reading: Promise<Buffer> | undefined;
  try {
    let position = start;
    let bufferIndex = 0;
    const readNext = async (): Promise<Buffer> => {
      const buffer = buffers[bufferIndex++ % buffers.length];
      if (!buffer) throw new Error("No read buffer is available");
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - position + 1), position);
      if (bytesRead === 0) throw new Error(`${path} ends before byte ${end}`);
      position += bytesRead;
      return buffer.subarray(0, bytesRead);
    };
    reading = readNext();
    while (reading) {
      const chunk: Buffer = await reading;
      reading = position <= end && buffers.length > 1 ? readNext() : undefined;
      // A failure is thrown when the chunk is requested, not before.
      reading?.catch(() => undefined);
      yield chunk;
      if (!reading && position <= end) reading = readNext();
    }
    // A consumer that stopped early may still be sending its chunk.
    if (isLarge && freeBuffers.length + buffers.length <= MAX_FREE_BUFFERS) freeBuffers.push(...buffers);
  } finally {
    await reading?.catch(() => undefined);
    await file.close();
  }
}
