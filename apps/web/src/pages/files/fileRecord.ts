import { ACL, ParseFile, ParseObject } from "@purse/client";

/** The class of stored files and folders. Records are private until shared. */
export const FILE_CLASS = "StoredFile";

/** A file of the user, read from its record. */
export interface StoredFile {
  record: ParseObject;
  id: string;
  name: string;
  /** The media type; empty if unknown. */
  type: string;
  /** In bytes. */
  size: number;
  /** SHA-256 of the content, as hex. */
  sha256: string | undefined;
  /** IPFS CID of the file or folder. */
  cid: string | undefined;
  url: string | undefined;
  /** Paths of the files in a folder. */
  paths: readonly string[];
  metadata: Readonly<{ [key: string]: string }>;
  tags: readonly string[];
  isShared: boolean;
}

/** Only these types are displayed; browsers may execute others. */
const SAFE_IMAGE_TYPES: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
];

export function isSafeImage(type: string): boolean {
  return SAFE_IMAGE_TYPES.includes(type);
}

export function toStoredFile(record: ParseObject): StoredFile {
  const file: unknown = record.get("file");
  const text = (name: string) => {
    const value: unknown = record.get(name);
    return typeof value === "string" ? value : undefined;
  };
  const size: unknown = record.get("size");
  return {
    record,
    id: record.id ?? "",
    name: text("name") ?? "",
    type: text("type") ?? "",
    size: typeof size === "number" ? size : 0,
    sha256: text("sha256"),
    cid: text("cid"),
    url: file instanceof ParseFile ? file.url() : text("url"),
    paths: stringArray(record.get("parts")),
    metadata: stringMap(record.get("metadata")),
    tags: stringArray(record.get("tags")),
    isShared: record.getACL()?.getPublicReadAccess() ?? true,
  };
}

/** Creates a record that only its owner can read and write. */
export function newRecord(userId: string, fields: { [name: string]: unknown }): ParseObject {
  const record = new ParseObject(FILE_CLASS, { tags: [], metadata: {}, ...fields });
  record.setACL(new ACL({ [userId]: { read: true, write: true } }));
  return record;
}

function stringArray(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function stringMap(value: unknown): { [key: string]: string } {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, String(each)]));
}
