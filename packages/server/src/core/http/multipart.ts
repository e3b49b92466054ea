import { ErrorCode, ProtocolError } from "@purse/protocol";
import { TimeSlicer } from "../limits/timeSlicer.ts";

/** Parts of a form. */
export const MAX_FORM_PARTS = 100;
/** Bytes of the headers of a part. */
const MAX_HEADER_BYTES = 8 * 1024;
/** Bytes that are searched for a boundary without a pause. */
const SEARCH_BYTES = 1024 * 1024;

/** Whether a content type is that of a form with files. */
export function isMultipart(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType);
}

/** A boundary of the characters of RFC 2046: parsers read others, such as backslashes, in different ways. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;

/** A part of a form: a file if it has a file name. */
export interface FormPart {
  name: string;
  filename: string | undefined;
  contentType: string;
  content: Buffer;
}

/** Splits a form at its boundaries. The contents are parts of the body and not copied. Throws 107 if it is not a form. */
export async function parseMultipart(body: Buffer, contentType: string): Promise<FormPart[]> {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw badForm("The form has no boundary.");
  const slices = new TimeSlicer();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first boundary may be at the very start.
  let at = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
    ? delimiter.length - 2
    : await endOfNext(0);
  const parts: FormPart[] = [];
  while (at !== undefined && !isEnd(at)) {
    if (parts.length === MAX_FORM_PARTS) throw badForm(`a form takes ${MAX_FORM_PARTS} parts at most`);
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
function parsePart(bytes: Buffer): FormPart {
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

/** The error for a form that cannot be read. */
export function badForm(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message, 400);
}
