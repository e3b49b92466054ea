import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const HEADER = "x-request-id";
/** What is accepted from a trusted proxy. */
const REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

/** Returns a unique ID for a request. */
export function newRequestId(): string {
  return randomUUID();
}

/**
 * Gives a request its ID, which answers and log lines carry: that of a trusted proxy, or a new one. It replaces what the
 * client sent, so that cloud code sees it in the headers.
 */
export function assignRequestId(message: IncomingMessage, isFromTrustedProxy: boolean): string {
  const sent = message.headers[HEADER];
  const id = isFromTrustedProxy && typeof sent === "string" && REQUEST_ID.test(sent) ? sent : newRequestId();
  message.headers[HEADER] = id;
  return id;
}

/** Returns the ID of a request that has one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const id = headers[HEADER];
  return typeof id === "string" ? id : newRequestId();
}
