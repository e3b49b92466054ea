import { isJsonObject, type JsonObject } from "@purse/protocol";

/** Attributes of a file besides its content. */
export interface FileAttributes {
  metadata: JsonObject;
  tags: JsonObject;
  /** The CID, if the content is also in IPFS. */
  hash?: string;
}

export interface StoredFile {
  /** In bytes. */
  size: number;
  modifiedAt: Date;
  /** Strong, with its quotes. */
  etag: string;
  /** Yields the bytes from `start` to `end`, both inclusive; a chunk is valid only until the next one is requested. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/**
 * Stores files by names that `fileNames.ts` has validated. Content and attributes are written once and never changed.
 */
export interface FileStore {
  /**
   * Writes a file, atomically and durably. If the content fails, rejects with the same error and stores nothing. Takes
   * ownership of the chunks. Returns the size in bytes.
   */
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  writeAttributes(name: string, readAttributes: FileAttributes): Promise<void>;
  open(name: string): Promise<StoredFile | undefined>;
  /** Returns undefined if there are no attributes. */
  readAttributes(name: string): Promise<FileAttributes | undefined>;
  /** Lists sorted names after a given one, up to `limit`. For operators: the cost may depend on the number of files. */
  list(after: string, limit: number): Promise<string[]>;
  /** Returns whether the file existed. */
  remove(name: string): Promise<boolean>;
}

/** Maximum size of serialized attributes, in bytes. */
export const MAX_ATTRIBUTES_BYTES = 1024 * 1024;

/** Parses serialized attributes. Throws Error for invalid ones. */
export function parseAttributes(text: string): FileAttributes {
  const readAttributes: unknown = JSON.parse(text);
  if (!isJsonObject(readAttributes)) throw new Error("The attributes of a file must be an object");
  const { metadata, tags, hash } = readAttributes;
  return {
    metadata: isJsonObject(metadata) ? metadata : {},
    tags: isJsonObject(tags) ? tags : {},
    ...(typeof hash === "string" && { hash }),
  };
}
