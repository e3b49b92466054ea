import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ApiReply } from "./apiRoute.ts";

const STATUS_BY_CODE: Readonly<Record<number, number>> = {
  [ErrorCode.INTERNAL_SERVER_ERROR]: 500,
  [ErrorCode.OBJECT_NOT_FOUND]: 404,
  [ErrorCode.REQUEST_LIMIT_EXCEEDED]: 429,
};

/**
 * Converts an error to a reply. Unexpected errors (a bug, a broken disk) are hidden from clients and passed to
 * `report`.
 */
export function errorReply(error: unknown, report: (error: unknown) => void): ApiReply {
  if (error instanceof ProtocolError) {
    const status = error.status ?? STATUS_BY_CODE[error.code] ?? 400;
    const retryAfter = "retryAfter" in error ? error.retryAfter : undefined;
    const headers = typeof retryAfter === "number" && { "retry-after": String(retryAfter) };
    return { status, body: JSON.stringify(error), ...(headers && { headers }) };
  }
  if (error instanceof URIError) return { status: 400, body: '{"code":102,"error":"The path is not valid"}' };
  report(error);
  return { status: 500, body: '{"code":1,"error":"Internal server error."}' };
}
