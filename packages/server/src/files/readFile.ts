import { open } from "node:fs/promises";

const PIECE_BYTES = 256 * 1024;
const MAX_FREE = 32;

/** Buffers that nobody reads into now: new ones for every piece would keep the garbage collector busier than the disk. */
const free: Buffer[] = [];

/**
 * Reads a part of a file, `start` to `end` with both included. A piece holds only until the next one is asked for:
 * meanwhile that one is read.
 */
export async function* readFilePart(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  const isLarge = end - start + 1 > PIECE_BYTES;
  const take = () => (isLarge && free.pop()) || Buffer.allocUnsafe(Math.min(end - start + 1, PIECE_BYTES));
  const buffers = isLarge ? [take(), take()] : [take()];
  let reading: Promise<Buffer> | undefined;
  try {
    let at = start;
    let turn = 0;
    const next = async (): Promise<Buffer> => {
      const buffer = buffers[turn++ % buffers.length];
      if (!buffer) throw new Error("There is no buffer to read into");
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at + 1), at);
      if (bytesRead === 0) throw new Error(`${path} ends before byte ${end}`);
      at += bytesRead;
      return buffer.subarray(0, bytesRead);
    };
    reading = next();
    while (reading) {
      const piece: Buffer = await reading;
      reading = at <= end && buffers.length > 1 ? next() : undefined;
      // Its failure is told when it is asked for, not before.
      reading?.catch(() => undefined);
      yield piece;
      if (!reading && at <= end) reading = next();
    }
    // Whoever stops in the middle may still be sending what they have.
    if (isLarge && free.length + buffers.length <= MAX_FREE) free.push(...buffers);
  } finally {
    await reading?.catch(() => undefined);
    await file.close();
  }
}
