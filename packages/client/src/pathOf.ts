import { ErrorCode, ProtocolError } from "@purse/protocol";

/**
 * A path of the server. Each part remains one part, whatever it contains. Throws -1 for `.` and `..`, which would lead to
 * another address even if they were escaped.
 */
export function pathOf(...parts: readonly string[]): string {
  return parts.map(segmentOf).join("/");
}

function segmentOf(part: string): string {
  if (part !== "." && part !== "..") return encodeURIComponent(part);
  throw new ProtocolError(ErrorCode.OTHER_CAUSE, `"${part}" cannot be part of an address.`);
}
