import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ErrorCode, ownValue, ProtocolError } from "@purse/protocol";

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Whether a body is compressed, so that its Content-Length is not its size. */
export function isCompressed({ headers }: IncomingMessage): boolean {
  return encodingOf(headers["content-encoding"]) !== "identity";
}

/**
 * Creates the stream that decompresses a body; undefined for one that is not compressed. Throws 107 (HTTP 415) for an
 * unknown encoding, and for several at once.
 */
export function createBodyDecoder({ headers }: IncomingMessage): Transform | undefined {
  const encoding = encodingOf(headers["content-encoding"]);
  if (encoding === "identity") return undefined;
  const create = ownValue(DECODERS, encoding);
  if (create) return create();
  throw new ProtocolError(
    ErrorCode.INVALID_JSON,
    `Content-Encoding takes gzip, deflate, br or identity, not ${encoding.slice(0, 40)}`,
    415,
  );
}

/** Returns the error of a body that does not match its encoding. */
export function corruptBodyError(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, "The body could not be decompressed", 400);
}

function encodingOf(header: string | undefined): string {
  return header?.trim().toLowerCase() || "identity";
}
