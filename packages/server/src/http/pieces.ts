import type { ServerResponse } from "node:http";
import type { ApiReply } from "./api.ts";

/** Characters that are written in one go: each of them is copied until the client has taken it. */
const SLICE_CHARS = 1024 * 1024;

/** A reply of 200 whose JSON text is in pieces. Whoever asks for its whole `body` has them joined. */
export function piecesReply(pieces: readonly string[]): ApiReply {
  const [only = ""] = pieces;
  if (pieces.length <= 1 && only.length <= SLICE_CHARS) return { status: 200, body: only };
  return {
    status: 200,
    pieces,
    get body() {
      return pieces.join("");
    },
  };
}

/** Writes the pieces of a body one after the other, each when the client has taken the one before it. */
export async function sendPieces(response: ServerResponse, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; ) {
      if (response.destroyed) return;
      const end = sliceEnd(piece, start);
      if (!response.write(piece.slice(start, end))) await takenBy(response);
      start = end;
    }
  }
  response.end();
}

/** The end of a slice, which does not part the two halves of a character. */
function sliceEnd(text: string, start: number): number {
  const end = start + SLICE_CHARS;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** Resolves when the client has taken what was written, or is gone. */
function takenBy(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

export function piecesLength(pieces: readonly string[]): number {
  return pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}
