import type { RequestOptions } from "../transport.ts";

/** Content of a file: bytes, a blob, base64 (or a data URI), or a URL to fetch it from. */
export type FileData = readonly number[] | Uint8Array | Blob | { base64: string } | { uri: string };

/** How a file is uploaded. */
export interface FileSaveOptions extends RequestOptions {
  /** Stores the content in IPFS too. */
  ipfs?: boolean;
  /**
   * Called with the uploaded fraction (0 to 1) and the bytes. On platforms without upload progress
   * it is called once for small files, at the end.
   */
  progress?: (part: number, loaded: number, total: number, about: { type: "upload" }) => void;
}

export function encodeBase64(bytes: readonly number[] | Uint8Array): string {
  let text = "";
  for (const byte of Uint8Array.from(bytes)) text += String.fromCharCode(byte);
  return btoa(text);
}
