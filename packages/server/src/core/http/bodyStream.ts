import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { corruptBodyError, createBodyDecoder } from "./contentEncoding.ts";

/**
 * How much of a body may be buffered for its consumer, in bytes: enough that the connection is not paused for every
 * chunk.
 */
const MAX_BUFFERED_BYTES = 2 * 1024 * 1024;
/** The same for all bodies together. Beyond it, each body buffers only a chunk or two. */
const MAX_TOTAL_BUFFERED_BYTES = 64 * 1024 * 1024;

let totalBufferedBytes = 0;

/**
 * Yields a body as it arrives. If the consumer stops early, the request can still be answered. Throws 100 if the
 * request is aborted.
 */
export async function* bodyChunks(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  /** Bytes that the consumer is processing; they count until it is done. */
  let yieldingBytes = 0;
  let hasEnded = message.readableEnded;
  let failure = message.destroyed && !hasEnded ? requestAborted() : undefined;
  let wake = () => {};
  const onData = (chunk: Buffer) => {
    buffered.push(chunk);
    bufferedBytes += chunk.length;
    totalBufferedBytes += chunk.length;
    if (bufferedBytes > MAX_BUFFERED_BYTES || totalBufferedBytes > MAX_TOTAL_BUFFERED_BYTES) message.pause();
    wake();
  };
  const onEnd = () => {
    hasEnded = true;
    wake();
  };
  const onClose = () => {
    if (!hasEnded) failure ??= requestAborted();
    wake();
  };
  const onError = () => {
    failure ??= requestAborted();
    wake();
  };
  message.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onError);
  try {
    for (;;) {
      const chunks = buffered;
      yieldingBytes = bufferedBytes;
      buffered = [];
      bufferedBytes = 0;
      if (failure) throw failure;
      yield* chunks;
      totalBufferedBytes -= yieldingBytes;
      yieldingBytes = 0;
      if (buffered.length > 0) continue;
      if (hasEnded) return;
      message.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
        // Data that arrived while the chunks were consumed has not resolved a waiting read.
        if (buffered.length > 0 || hasEnded || failure) resolve();
      });
    }
  } finally {
    totalBufferedBytes -= bufferedBytes + yieldingBytes;
    message.off("data", onData).off("end", onEnd).off("close", onClose);
    message.pause();
  }
}

/** Yields a body as it arrives, decompressed if it is compressed. Throws 107 for another encoding or a corrupt body. */
export async function* decompressedChunks(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  const decoder = createBodyDecoder(message);
  if (!decoder) return yield* bodyChunks(message);
  // Its errors are those of the decoder.
  pipeline(bodyChunks(message), decoder).catch(() => undefined);
  try {
    for await (const chunk of decoder) yield chunk;
  } catch (error) {
    throw error instanceof ProtocolError ? error : corruptBodyError();
  } finally {
    decoder.destroy();
  }
}

/** How long a client may take to notice that its body is not wanted, in ms. */
const DISCARD_MS = 10_000;

const discarding = new WeakSet<IncomingMessage>();

/**
 * Reads and discards up to `maxBytes` of the rest of a body, for clients that read a response only after they have sent
 * everything, and then nothing more: a client that cannot continue to send notices the response. Closes the connection
 * after ten seconds, not before, because the client would lose a response that it has not read yet. Later calls for the
 * same request change nothing.
 */
export function discardBody(message: IncomingMessage, maxBytes: number): void {
  if (message.complete || message.destroyed || discarding.has(message)) return;
  discarding.add(message);
  let bytes = 0;
  const timer = setTimeout(() => message.destroy(), DISCARD_MS);
  timer.unref();
  message.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) message.pause();
  });
  message.once("close", () => clearTimeout(timer));
  message.on("error", () => undefined);
  message.resume();
}

function requestAborted(): ProtocolError {
  return new ProtocolError(ErrorCode.CONNECTION_FAILED, "The request was cut off", 400);
}
