import type { ServerResponse } from "node:http";
import type { ApiReply } from "./api.ts";

/** A reply of 200 whose JSON text is in pieces. Whoever asks for its whole `body` has them joined. */
export function piecesReply(pieces: readonly string[]): ApiReply {
  const [only = ""] = pieces;
  if (pieces.length <= 1) return { status: 200, body: only };
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
    if (response.destroyed) return;
    if (!response.write(piece)) await takenBy(response);
  }
  response.end();
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
