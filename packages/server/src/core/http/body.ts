import type { IncomingMessage } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { type BodyMemory, UNCOUNTED_BYTES } from "./bodyMemory.ts";
import { corruptBodyError, createBodyDecoder, isCompressed } from "./contentEncoding.ts";

/**
 * Reads a body up to a limit in bytes, counted after decompression, parses it and passes the result to `handle`. Its memory counts as allocated
 * until `handle` has settled; the bytes themselves are released before that. Rejects with 413 as soon as the body is
 * known to be too large, with 429 while other bodies use up the memory.
 */
export async function withBody<Content, T>(
  message: IncomingMessage,
  maxBytes: number,
  memory: BodyMemory,
  parse: (body: Buffer) => Content | Promise<Content>,
  handle: (content: Content) => Promise<T>,
): Promise<T> {
  const length = Number(message.headers["content-length"] ?? 0);
  if (length > maxBytes) throw payloadTooLarge(maxBytes);
  // Node.js reads the rest of a packet after its first handlers have returned.
  await Promise.resolve();
  const arrived = takeArrivedBody(message);
  if (arrived) {
    const content = parse(arrived);
    return await handle(content instanceof Promise ? await content : content);
  }
  const allocation = memory.open(message);
  try {
    await allocation.reserve(isCompressed(message) ? 0 : length);
    const content = await readBody(message, maxBytes, (bytes) => allocation.add(bytes)).then(async (body) => {
      await allocation.startProcessing();
      return parse(body);
    });
    return await handle(content);
  } finally {
    allocation.close();
  }
}

/**
 * Takes a small body that has arrived together with the headers of its request, as most do: without listeners, and
 * without an allocation, since bodies of this size are not counted. Undefined for all others.
 */
function takeArrivedBody(message: IncomingMessage): Buffer | undefined {
  const length = Number(message.headers["content-length"] ?? 0);
  if (length === 0 || length > UNCOUNTED_BYTES || message.readableLength !== length) return undefined;
  if (message.destroyed || message.readableFlowing !== null || isCompressed(message)) return undefined;
  // Each call returns what one packet brought.
  const chunks: Buffer[] = [];
  for (let size = 0; size < length; ) {
    const chunk: unknown = message.read();
    if (!Buffer.isBuffer(chunk)) return undefined;
    chunks.push(chunk);
    size += chunk.length;
  }
  // Lets the request end.
  message.resume();
  const [first] = chunks;
  return chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** This many chunks are combined into one: each takes a few hundred bytes of memory in addition to its content. */
const COMBINED_CHUNKS = 256;
/** Larger bodies are not concatenated from their chunks. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Reads a body up to a limit in bytes, decompressed if it is compressed. Rejects with 413 as soon as it is known to be
 * larger, with 415 for an unknown encoding.
 */
export async function readBody(
  message: IncomingMessage,
  maxBytes: number,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Buffer> {
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw payloadTooLarge(maxBytes);
  const decoder = createBodyDecoder(message);
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    /** The end of the body so far. */
    let latest: Buffer[] = [];
    let size = 0;
    /** What a large body of known length is copied into as it arrives: all at once would take milliseconds. */
    let whole: Buffer | undefined;
    const expectedSize = decoder ? 0 : Number(message.headers["content-length"] ?? 0);
    const abort = () => fail(new ProtocolError(ErrorCode.CONNECTION_FAILED, "The request was cut off", 400));
    const fail = (error: unknown) => {
      if (decoder) {
        message.unpipe(decoder);
        decoder.destroy();
      }
      message.removeAllListeners("data");
      message.pause();
      chunks = [];
      latest = [];
      whole = undefined;
      reject(error);
    };
    // A body that has arrived completely may still be decompressed.
    const onClose = () => {
      if (!decoder || !message.complete) abort();
    };
    // The client may have disconnected while it waited.
    if (message.destroyed && !message.complete) return abort();
    const source = decoder ? message.pipe(decoder) : message;
    source.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return fail(payloadTooLarge(maxBytes));
      try {
        onBytes(chunk.length);
      } catch (error) {
        return fail(error);
      }
      if (!whole && expectedSize > LARGE_BYTES && size > LARGE_BYTES) {
        whole = Buffer.allocUnsafe(expectedSize);
        let at = 0;
        for (const earlier of [...chunks, ...latest]) at += earlier.copy(whole, at);
        chunks = [];
        latest = [];
      }
      if (whole) {
        chunk.copy(whole, size - chunk.length);
        return;
      }
      if (latest.push(chunk) < COMBINED_CHUNKS) return;
      chunks.push(Buffer.concat(latest));
      latest = [];
    });
    source.on("end", () => {
      message.off("close", onClose);
      chunks.push(...latest);
      const [first] = chunks;
      resolve(whole ?? (chunks.length === 1 && first ? first : Buffer.concat(chunks)));
      // The request outlives its body: release the chunks now.
      chunks = [];
      latest = [];
      whole = undefined;
    });
    decoder?.on("error", () => fail(corruptBodyError()));
    message.on("error", abort);
    message.on("close", onClose);
  });
}

/** A request without these headers ends with them (RFC 9112, section 6.3), as most reads do. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
}

export function payloadTooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_TOO_LARGE, `The body is larger than ${maxBytes} bytes`, 413);
}
