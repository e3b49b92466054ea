import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

const HEADER = "x-request-id";
/** What is accepted from a trusted proxy. */
const REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

/** Distinguishes the requests of several processes, and of several runs. */
const RUN_ID = randomBytes(8).toString("hex");
let count = 0;

/** Returns a unique ID for a request. */
export function newRequestId(): string {
  count += 1;
  return `${RUN_ID}-${count}`;
}

/**
 * Assigns a request its ID, which responses and log lines contain: that of a trusted proxy, or a new one. It replaces
 * what the client sent, so that cloud code sees it in the headers.
 */
export function assignRequestId(
  message: IncomingMessage,
  isFromTrustedProxy: (message: IncomingMessage) => boolean,
): string {
  const sent = message.headers[HEADER];
  const isAccepted = typeof sent === "string" && REQUEST_ID.test(sent) && isFromTrustedProxy(message);
  const id = isAccepted ? sent : newRequestId();
  message.headers[HEADER] = id;
  return id;
}

/** Returns the ID of a request that has one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const id = headers[HEADER];
  return typeof id === "string" ? id : newRequestId();
}
