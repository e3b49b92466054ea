import type { IncomingMessage } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";

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
        // Data that arrived while the chunks were consumed has not woken anybody.
        if (buffered.length > 0 || hasEnded || failure) resolve();
      });
    }
  } finally {
    totalBufferedBytes -= bufferedBytes + yieldingBytes;
    message.off("data", onData).off("end", onEnd).off("close", onClose);
    message.pause();
  }
}

/**
 * How much of an unwanted body is read, in bytes and ms: many clients read a response only after they have sent
 * everything.
 */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;
const DISCARD_MS = 10_000;

/** Reads and discards the rest of a body; closes the connection if it is too large or too slow. */
export function discardBody(message: IncomingMessage): void {
  if (message.complete || message.destroyed) return;
  let bufferedBytes = 0;
  const giveUp = () => message.destroy();
  const timer = setTimeout(giveUp, DISCARD_MS);
  timer.unref();
  message.on("data", (chunk: Buffer) => {
    bufferedBytes += chunk.length;
    if (bufferedBytes > MAX_DISCARDED_BYTES) giveUp();
  });
  message.once("close", () => clearTimeout(timer));
  message.on("error", () => undefined);
  message.resume();
}

function requestAborted(): ProtocolError {
  return new ProtocolError(ErrorCode.CONNECTION_FAILED, "The request was cut off", 400);
}
