import type { IncomingMessage } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Reads a body whole, up to a limit in bytes. Throws 413 as soon as it is known to be larger. */
export function readBody(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        message.removeAllListeners("data");
        message.pause();
        reject(tooLarge(maxBytes));
        return;
      }
      chunks.push(chunk);
    });
    message.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    message.on("error", reject);
    message.on("aborted", () =>
      reject(new ProtocolError(ErrorCode.CONNECTION_FAILED, "The request was cut off", 400)),
    );
  });
}

function tooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_TOO_LARGE, `The body is larger than ${maxBytes} bytes`, 413);
}
