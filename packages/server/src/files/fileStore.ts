import { isJsonObject, type JsonObject } from "@purse/protocol";

/** What is known of a file beside its content. */
export interface FileAbout {
  metadata: JsonObject;
  tags: JsonObject;
  /** CID, where the content is in IPFS too. */
  hash?: string;
}

export interface StoredFile {
  /** In bytes. */
  size: number;
  modifiedAt: Date;
  /** Strong, with its quotes. */
  etag: string;
  /** The bytes from `start` to `end`, both included; a piece holds only until the next one is asked for. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/**
 * Where files are kept, by names that `names.ts` has let through. Content and what is known of it are written
 * once and never changed.
 */
export interface FileStore {
  /**
   * Writes a file. Nobody sees it before all of it is there and lasts; where the content fails, the same error
   * comes out and nothing stays. The pieces are used up. Answers the size in bytes.
   */
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  describe(name: string, about: FileAbout): Promise<void>;
  open(name: string): Promise<StoredFile | undefined>;
  /** Undefined where nothing is known. */
  about(name: string): Promise<FileAbout | undefined>;
  /** Names in their order, those after one; at most `limit`. For operators: it may cost what there is. */
  list(after: string, limit: number): Promise<string[]>;
  /** Whether there was such a file. */
  remove(name: string): Promise<boolean>;
}

/** Largest text that `describe` writes, in bytes. */
export const MAX_ABOUT_BYTES = 1024 * 1024;

/** Reads what `describe` has written. Throws Error for anything else. */
export function parseAbout(text: string): FileAbout {
  const about: unknown = JSON.parse(text);
  if (!isJsonObject(about)) throw new Error("What is known of a file must be an object");
  const { metadata, tags, hash } = about;
  return {
    metadata: isJsonObject(metadata) ? metadata : {},
    tags: isJsonObject(tags) ? tags : {},
    ...(typeof hash === "string" && { hash }),
  };
}
