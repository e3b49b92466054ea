import type { IncomingMessage } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";

/** How much may wait for whoever takes it, in bytes: enough that the connection is not stopped for every piece. */
const MOST_WAITING = 2 * 1024 * 1024;
/** How much may wait of all bodies together; beyond, each has a piece or two. */
const MOST_WAITING_IN_ALL = 64 * 1024 * 1024;

let waitingInAll = 0;

/**
 * A body as it comes in. Whoever stops in the middle leaves the request to be answered; one that is cut off
 * throws 100.
 */
export async function* bodyPieces(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  /** Bytes that are being taken: they count until that is done. */
  let taken = 0;
  let isOver = message.readableEnded;
  let failure = message.destroyed && !isOver ? cutOff() : undefined;
  let wake = () => {};
  const onData = (piece: Buffer) => {
    waiting.push(piece);
    bytes += piece.length;
    waitingInAll += piece.length;
    if (bytes > MOST_WAITING || waitingInAll > MOST_WAITING_IN_ALL) message.pause();
    wake();
  };
  const onEnd = () => {
    isOver = true;
    wake();
  };
  const onClose = () => {
    if (!isOver) failure ??= cutOff();
    wake();
  };
  const onError = () => {
    failure ??= cutOff();
    wake();
  };
  message.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onError);
  try {
    for (;;) {
      const pieces = waiting;
      taken = bytes;
      waiting = [];
      bytes = 0;
      if (failure) throw failure;
      yield* pieces;
      waitingInAll -= taken;
      taken = 0;
      if (waiting.length > 0) continue;
      if (isOver) return;
      message.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
        // What has come in while the pieces were taken wakes nobody.
        if (waiting.length > 0 || isOver || failure) resolve();
      });
    }
  } finally {
    waitingInAll -= bytes + taken;
    message.off("data", onData).off("end", onEnd).off("close", onClose);
    message.pause();
  }
}

/** How much of a body that is not wanted is read, in bytes and ms: many clients hear an answer only when they have sent all. */
const MOST_DISCARDED = 64 * 1024 * 1024;
const DISCARD_MS = 10_000;

/** Reads what is left of a body and forgets it; ends the connection where that is too much. */
export function discardRest(message: IncomingMessage): void {
  if (message.complete || message.destroyed) return;
  let bytes = 0;
  const giveUp = () => message.destroy();
  const timer = setTimeout(giveUp, DISCARD_MS);
  timer.unref();
  message.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MOST_DISCARDED) giveUp();
  });
  message.once("close", () => clearTimeout(timer));
  message.on("error", () => undefined);
  message.resume();
}

function cutOff(): ProtocolError {
  return new ProtocolError(ErrorCode.CONNECTION_FAILED, "The request was cut off", 400);
}
