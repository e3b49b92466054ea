import { randomBytes } from "node:crypto";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { contentTypeOf, extensionFor, extensionOf } from "../../core/http/contentTypes.ts";

/**
 * What a name must not contain: separators of paths, control characters and line separators, characters that reverse the
 * direction of what follows, as in `gpj.exe`, half of a surrogate pair; a dot or a drive letter at its beginning; nothing
 * but spaces.
 */
const FORBIDDEN = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]|^\.|^[a-z]:|^\s+$/iu;
const DIRECTORY = /^[a-zA-Z0-9][a-zA-Z0-9_\-/]*$/;
/** Maximum lengths in bytes on disk, where file systems allow 255: of a name, and of a stored name with what is added. */
const MAX_NAME_BYTES = 200;
const MAX_SEGMENT_BYTES = 245;
/** Maximum length of a folder in characters. */
const MAX_FOLDER_LENGTH = 200;
/** First segments with another meaning in file URLs. */
const RESERVED: ReadonlySet<string> = new Set(["metadata", "resumable"]);

/** Throws 122 for an invalid name of a new file. */
export function assertFileName(name: string): void {
  if (name === "") throw invalidName("Filename not provided.");
  if (name.length > 128 || Buffer.byteLength(segmentOnDisk(name)) > MAX_NAME_BYTES) {
    throw invalidName("Filename too long.");
  }
  if (FORBIDDEN.test(name)) throw invalidName("Filename contains invalid characters.");
}

/** Throws 122 for an invalid folder of a new file. */
export function assertDirectory(directory: unknown): asserts directory is string {
  if (typeof directory !== "string") throw invalidName("Directory must be a string.");
  if (directory.length === 0) throw invalidName("Directory must not be empty.");
  if (directory.length > 256) throw invalidName("Directory path is too long.");
  if (directory.includes("..")) throw invalidName('Directory must not contain "..".');
  if (directory.startsWith("/") || directory.endsWith("/")) {
    throw invalidName('Directory must not start or end with "/".');
  }
  if (directory.includes("//")) throw invalidName("Directory must not contain consecutive slashes.");
  const [first = ""] = directory.split("/");
  if (RESERVED.has(first)) {
    throw invalidName(`Directory must not start with reserved segment "${first}".`);
  }
  if (!DIRECTORY.test(directory)) throw invalidName("Directory contains invalid characters.");
  // A file with such a name could not be read again.
  if (directory.split("/").some((segment) => segment.length > MAX_FOLDER_LENGTH)) {
    throw invalidName("Directory path is too long.");
  }
}

/** Whether a name can be that of a stored file. Names from request paths are checked by this first. */
export function isValidStoredName(name: string): boolean {
  return (
    name.length <= 512 &&
    name.split("/").every((segment) => segment !== "" && !FORBIDDEN.test(segment) && fitsOnDisk(segment))
  );
}

function fitsOnDisk(segment: string): boolean {
  return Buffer.byteLength(segmentOnDisk(segment)) <= MAX_SEGMENT_BYTES;
}

/** The name on disk of a segment of a stored name: characters that some systems do not allow are escaped. */
export function segmentOnDisk(segment: string): string {
  return segment.replace(
    /[<>:"|?*%]|[. ]$/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** Reverses `segmentOnDisk`. */
export function segmentFromDisk(segment: string): string {
  return segment.replace(/%([0-9a-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Returns the unique and unguessable name under which a new file is stored. */
export function newStoredName(
  name: string,
  contentType: string | undefined,
  directory: string | undefined,
): string {
  const addedExtension =
    extensionOf(name) === "" && contentType !== undefined ? extensionFor(contentType) : undefined;
  const fullName =
    addedExtension === undefined ? name : `${name}${name.endsWith(".") ? "" : "."}${addedExtension}`;
  const uniqueName = `${randomBytes(16).toString("hex")}_${fullName}`;
  return directory === undefined ? uniqueName : `${directory}/${uniqueName}`;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;

/**
 * Throws 130 for file types that may not be uploaded: by the extension of the name or, if that is unknown, by the media
 * type.
 */
export function assertExtension(
  name: string,
  contentType: string | undefined,
  isAllowed: (extension: string) => boolean,
): void {
  const extension = extensionOf(name).replace(/\s+/g, "");
  if (extension !== "" && !isAllowed(extension)) throw extensionDisabled(extension);
  const isKnown = extension !== "" && contentTypeOf(name).type !== "application/octet-stream";
  if (isKnown || !contentType) return;
  const slash = contentType.indexOf("/");
  const type = slash > 0 ? contentType.slice(0, slash).trim() : "";
  const subtype = slash > 0 ? (contentType.slice(slash + 1).split(";", 1)[0] ?? "").trim() : "";
  if (!TOKEN.test(type) || !TOKEN.test(subtype)) {
    const typeName = (slash < 0 ? (contentType.split(";", 1)[0] ?? "") : type).replace(/\s+/g, "");
    if (typeName !== "" && !isAllowed(typeName)) throw extensionDisabled(typeName);
    // The SDKs take any text as the type of a file, such as "text". Files are served by their names.
    if (slash < 0 && TOKEN.test(typeName)) return;
    throw new ProtocolError(ErrorCode.FILE_SAVE_ERROR, "Invalid Content-Type.");
  }
  if (!isAllowed(subtype)) throw extensionDisabled(subtype);
}

function extensionDisabled(extension: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.FILE_SAVE_ERROR,
    `File upload of extension ${extension.slice(0, 100)} is disabled.`,
  );
}

function invalidName(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_FILE_NAME, message);
}
