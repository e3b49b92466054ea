import { ErrorCode, ParseError } from "@purse/client";
import { isActiveContent } from "@purse/protocol";
import type { UploadRules } from "../../settings.ts";

/** A plain extension, as opposed to a regular expression. */
const EXTENSION = /^\w+$/;

/**
 * The error with which the server would refuse a file, before it is sent; undefined if the server decides. Its message has the words
 * of the server's, by which it is explained.
 */
export function rejectionOf({ name, size }: Pick<File, "name" | "size">, rules: UploadRules | undefined) {
  if (rules?.isAllowed === false) return refused("file upload by authenticated user is disabled");
  if (size === 0) return refused("invalid file upload");
  if (rules === undefined) return undefined;
  if (size > rules.maxBytes) return refused(`file size exceeds maximum allowed: ${rules.maxBytes} bytes`);
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  if (extension === "" || !isRefused(extension, rules.extensions)) return undefined;
  return refused(`file upload of extension ${extension} is disabled`);
}

/** Whether a new attempt to upload the same file would fail in the same way. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof ParseError &&
    [ErrorCode.FILE_SAVE_ERROR, ErrorCode.INVALID_FILE_NAME].some((code) => code === error.code)
  );
}

function isRefused(extension: string, extensions: readonly string[] | null): boolean {
  if (extensions === null) return isActiveContent(extension);
  // Of regular expressions, the server decides.
  return (
    extensions.every((each) => EXTENSION.test(each)) &&
    !extensions.some((each) => each.toLowerCase() === extension)
  );
}

function refused(message: string): ParseError {
  return new ParseError(ErrorCode.FILE_SAVE_ERROR, message);
}
