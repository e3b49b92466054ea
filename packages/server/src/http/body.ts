import type { IncomingMessage } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { BodyMemory } from "./bodyMemory.ts";

/**
 * Reads a body whole, up to a limit in bytes, and hands what `parse` makes of it to `use`; its memory is accounted for
 * until `use` has settled. The bytes themselves are let go of before that. Rejects with 413 as soon as the body is known
 * to be larger, with 429 while bodies of others take the memory.
 */
export async function withBody<Content, T>(
  message: IncomingMessage,
  maxBytes: number,
  memory: BodyMemory,
  parse: (body: Buffer) => Content | Promise<Content>,
  use: (content: Content) => Promise<T>,
): Promise<T> {
  const length = Number(message.headers["content-length"] ?? 0);
  if (length > maxBytes) throw tooLarge(maxBytes);
  const account = memory.open(message);
  try {
    await account.reserve(length);
    const content = await readBody(message, maxBytes, (bytes) => account.add(bytes)).then(async (body) => {
      await account.begin();
      return parse(body);
    });
    return await use(content);
  } finally {
    account.close();
  }
}

/** Reads a body whole, up to a limit in bytes. Rejects with 413 as soon as it is known to be larger. */
export function readBody(
  message: IncomingMessage,
  maxBytes: number,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Buffer> {
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const cutOff = () =>
      reject(new ProtocolError(ErrorCode.CONNECTION_FAILED, "The request was cut off", 400));
    // A client may go away while it waits for its turn.
    if (message.destroyed && !message.complete) return cutOff();
    const refuse = (error: unknown) => {
      message.removeAllListeners("data");
      message.pause();
      chunks.length = 0;
      reject(error);
    };
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return refuse(tooLarge(maxBytes));
      try {
        onBytes(chunk.length);
      } catch (error) {
        return refuse(error);
      }
      chunks.push(chunk);
    });
    message.on("end", () => {
      message.off("close", cutOff);
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks));
      // The request lives on while its body is worked on.
      chunks.length = 0;
    });
    message.on("error", cutOff);
    message.on("close", cutOff);
  });
}

export function tooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_TOO_LARGE, `The body is larger than ${maxBytes} bytes`, 413);
}
