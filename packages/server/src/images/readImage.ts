import { invalidImage, MAX_IMAGE_BYTES } from "./transformedImages.ts";

/** Reads the content of an image of `size` bytes. A chunk has to be valid only until the next one. Throws 415 if it is too large. */
export async function readImage(size: number, chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (size > MAX_IMAGE_BYTES) throw invalidImage(`it is larger than ${MAX_IMAGE_BYTES} bytes`);
  const copies: Uint8Array[] = [];
  for await (const chunk of chunks) copies.push(Uint8Array.from(chunk));
  return Buffer.concat(copies);
}
