import type { IncomingMessage } from "node:http";
import { ProtocolError } from "@purse/protocol";
import type { AuthContext } from "../authContext.ts";

/** What handling a request has shown, for the list of requests. */
export interface RequestFacts {
  /** The user who sent it. */
  userId?: string;
  /** Whether it was sent with the master key. */
  isMaster?: boolean;
  /** The code of the error that was sent. */
  code?: number;
}

const factsByRequest = new WeakMap<IncomingMessage, RequestFacts>();

export function requestFactsOf(message: IncomingMessage): RequestFacts {
  return factsByRequest.get(message) ?? {};
}

/** Remembers who sent a request. */
export function noteSender(message: IncomingMessage, auth: AuthContext): void {
  if (auth.kind === "user") factsByRequest.set(message, { userId: auth.userId });
  else if (auth.kind === "master") factsByRequest.set(message, { isMaster: true });
}

/** Remembers the error with which a request ended. */
export function noteError(message: IncomingMessage, error: unknown): void {
  if (!(error instanceof ProtocolError)) return;
  factsByRequest.set(message, { ...factsByRequest.get(message), code: error.code });
}
