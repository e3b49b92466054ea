import { token } from "@purse/kernel";
import type { Files } from "./files.ts";

/** The files of applications. */
export interface FileService extends Pick<Files, "save" | "maxUploadSize" | "assertCanUpload"> {
  /**
   * Downloads a file by its URL: files of this server from the file store, others over the network, but never from private
   * addresses. Rejects with 130 for files that are too large or cannot be fetched.
   */
  download(url: string): Promise<Uint8Array>;
  /** Reserves disk space for an upload of this size. Resolves to what releases it; rejects if there is not enough. */
  reserveUpload(bytes: number): Promise<() => void>;
}

export const FILES = token<FileService>("files");
