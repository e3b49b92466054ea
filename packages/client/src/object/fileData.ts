import type { RequestOptions } from "../transport.ts";

/** Content of a file: bytes, a blob, base64 (a data URI will do) or an address to fetch it from. */
export type FileData = readonly number[] | Uint8Array | Blob | { base64: string } | { uri: string };

/** How a file is uploaded. */
export interface FileSaveOptions extends RequestOptions {
  /** Keeps the content in IPFS too. */
  ipfs?: boolean;
  /**
   * Told how much of the content is on the server, in bytes and as a part of 1. Where the platform does not tell how
   * far an upload is, small files are told of once they are there.
   */
  progress?: (part: number, loaded: number, total: number, about: { type: "upload" }) => void;
}

export function encodeBase64(bytes: readonly number[] | Uint8Array): string {
  let text = "";
  for (const byte of Uint8Array.from(bytes)) text += String.fromCharCode(byte);
  return btoa(text);
}
