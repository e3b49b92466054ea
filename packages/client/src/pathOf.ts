import { ErrorCode, ProtocolError } from "@purse/protocol";

/**
 * A path of the server. Each part remains one part, whatever it contains. Throws -1 for `.` and `..`, which would lead to
 * another address even if they were escaped.
 */
export function pathOf(...parts: readonly string[]): string {
  const invalid = parts.find((part) => /^\.\.?$/.test(part));
  if (invalid === undefined) return parts.map(encodeURIComponent).join("/");
  throw new ProtocolError(ErrorCode.OTHER_CAUSE, `"${invalid}" cannot be part of an address.`);
}
