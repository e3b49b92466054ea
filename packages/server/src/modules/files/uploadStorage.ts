import { type JsonObject, ProtocolError } from "@purse/protocol";
import type { SavedFile, Upload } from "./files.ts";
import { tusError } from "./tusMetadata.ts";
import type { UploadOwner } from "./uploadQuota.ts";

/** What is known of a resumable upload from its start. */
export interface UploadDescription {
  /** Its creator: nobody else may continue it. */
  owner: string;
  /** The owner that it is counted for; undefined for the operator. */
  countedFor?: string;
  /** In bytes. */
  length: number;
  name: string;
  contentType?: string;
  fileData: JsonObject;
  /** In ms since the epoch. */
  expiresAt: number;
}

export interface PendingUpload extends UploadDescription {
  /** Number of bytes that are stored. */
  offset: number;
  /** Set when it is complete. */
  saved?: SavedFile;
}

/** Runs `work` while no other request appends to the upload or removes it. Throws 423. */
export type UploadLock = <T>(id: string, work: () => Promise<T>) => Promise<T>;

/** Where resumable uploads are stored. Ids have 32 hexadecimal digits. */
export interface UploadStorage {
  /** Reserves the quota of an upload and stores it. Throws 429, 503 or 507. */
  create(id: string, upload: UploadDescription, owner: UploadOwner | undefined): Promise<void>;
  find(id: string): Promise<PendingUpload | undefined>;
  withLock: UploadLock;
  /** Appends content. If the content fails, rejects with its error and keeps what has arrived. */
  append(id: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** The content of an upload of which all bytes are stored. */
  contentOf(id: string): Promise<Upload["content"]>;
  /** Keeps the saved file as the result of the upload, and removes the content. */
  finish(id: string, saved: SavedFile): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes uploads that have expired, and what was left by killed processes. `now` is in ms since the epoch. */
  sweep(now: number): Promise<void>;
}

export function isUploadId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}

const LOCKED = 423;

/** The error of a request to an upload that another one is changing. */
export function uploadLocked() {
  return tusError(LOCKED, "The upload is already in progress");
}

export function isUploadLocked(error: unknown): boolean {
  return error instanceof ProtocolError && error.status === LOCKED;
}
