import {
  ErrorCode,
  isJsonObject,
  type JsonLimits,
  type JsonObject,
  ProtocolError,
  parseJson,
} from "@purse/protocol";
import { TimeSlicer } from "../core/limits/timeSlicer.ts";
import { UploadedFile } from "./context.ts";

/** Parts of a multipart request: the operation, the map, and files. */
const MAX_PARTS = 100;
/** Length of a path to which the map of a multipart request assigns a file. */
const MAX_FILE_PATH_LENGTH = 500;
/** Bytes of the headers of a part. */
const MAX_HEADER_BYTES = 8 * 1024;
/** Bytes that are searched for a boundary without a pause. */
const SEARCH_BYTES = 1024 * 1024;

export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType);
}

/** A boundary of the characters of RFC 2046: parsers read others, such as backslashes, in different ways. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;

/**
 * Parses a multipart request with an operation, a map, and the files that the map assigns to variables
 * (https://github.com/jaydenseric/graphql-multipart-request-spec). Returns the fields of the operation. Files are parts of
 * the body and not copied. Throws 107 if it is not such a form, or too large.
 */
export async function parseForm(body: Buffer, contentType: string, limits: JsonLimits): Promise<JsonObject> {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw badForm("The form has no boundary.");
  const parts = new Map<string, Part>();
  for (const part of await splitParts(body, boundary)) if (!parts.has(part.name)) parts.set(part.name, part);
  const operations = jsonOf(parts.get("operations"), "operations", limits);
  const map = parts.has("map") ? jsonOf(parts.get("map"), "map", limits) : {};
  const lists = Object.entries(map);
  if (lists.length > MAX_PARTS) throw badForm("The map of a form has too many files.");
  for (const [name, paths] of lists) {
    if (!Array.isArray(paths)) throw badForm("The map of a form has a list of paths for each of its files.");
    const file = parts.get(name);
    if (!file) throw badForm("The map of a form names a file that it does not have.");
    const uploaded = new UploadedFile(file.filename ?? name, file.contentType, file.content);
    for (const path of paths) assign(operations, path, uploaded);
  }
  return operations;
}

interface Part {
  name: string;
  filename: string | undefined;
  contentType: string;
  content: Buffer;
}

/** Splits a form at its boundaries. */
async function splitParts(body: Buffer, boundary: string): Promise<Part[]> {
  const slices = new TimeSlicer();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first boundary may be at the very start.
  let at = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
    ? delimiter.length - 2
    : await endOfNext(0);
  const parts: Part[] = [];
  while (at !== undefined && !isEnd(at)) {
    if (parts.length === MAX_PARTS) throw badForm(`a form takes ${MAX_PARTS} parts at most`);
    const end = await endOfNext(at);
    if (end === undefined) throw badForm("The form does not end with its boundary.");
    parts.push(parsePart(body.subarray(at, end - delimiter.length)));
    at = end;
  }
  return parts;

  function isEnd(from: number): boolean {
    return body.toString("latin1", from, from + 2) === "--";
  }

  /** Returns the position after the next boundary. */
  async function endOfNext(from: number): Promise<number | undefined> {
    for (let start = from; start < body.length; start += SEARCH_BYTES) {
      if (slices.isExpired) await slices.pause();
      const found = body.subarray(start, start + SEARCH_BYTES + delimiter.length).indexOf(delimiter);
      if (found < 0) continue;
      const end = start + found + delimiter.length;
      const next = body.toString("latin1", end, end + 2);
      if (next === "\r\n" || next === "--") return end;
      // The boundary is the beginning of a longer text.
      start = end - SEARCH_BYTES;
    }
    return undefined;
  }
}

/** Parses what is between two boundaries: a line break, headers, an empty line, the content. */
function parsePart(bytes: Buffer): Part {
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf("\r\n\r\n");
  if (end < 0) throw badForm("A part of the form has no headers, or too long ones.");
  const headers = bytes.toString("utf8", 0, end);
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1] ?? "";
  const name = parameterOf(disposition, "name");
  if (name === undefined) throw badForm("A part of the form has no name.");
  return {
    name,
    filename: parameterOf(disposition, "filename"),
    contentType: /^content-type:\s*(\S.*)$/im.exec(headers)?.[1]?.trim() ?? "",
    content: bytes.subarray(end + 4),
  };
}

/** Browsers escape quotes and line breaks in names, other clients quotes and backslashes. */
function parameterOf(disposition: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`(?:^|[;\\s])${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(disposition) ?? [];
  const value = quoted?.replace(/\\(["\\])/g, "$1") ?? plain;
  return value?.replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function jsonOf(part: Part | undefined, name: string, limits: JsonLimits): JsonObject {
  let value: unknown;
  try {
    value = parseJson(part?.content.toString("utf8") ?? "", limits);
  } catch (error) {
    if (error instanceof ProtocolError) throw badForm(error.message);
  }
  if (!isJsonObject(value)) throw badForm(`The field ${name} of the form must be a JSON object.`);
  return value;
}

/** Puts a file in the place of a null. */
function assign(operations: JsonObject, path: unknown, file: UploadedFile): void {
  if (typeof path !== "string" || path.length > MAX_FILE_PATH_LENGTH)
    throw badForm("The paths in the map of a form are short texts.");
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let target: unknown = operations;
  for (const key of keys)
    target = isContainer(target) && Object.hasOwn(target, key) ? Reflect.get(target, key) : undefined;
  if (
    !isContainer(target) ||
    !Object.hasOwn(target, last) ||
    Reflect.get(target, last) !== null ||
    last === "__proto__"
  )
    throw badForm("A path in the map of a form leads to no variable that is null.");
  Reflect.set(target, last, file);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function badForm(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message, 400);
}
