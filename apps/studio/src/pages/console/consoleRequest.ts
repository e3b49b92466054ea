import type { JsonObject } from "@purse/protocol";

export type ConsoleMethod = "GET" | "POST" | "PUT" | "DELETE";

/** Who sends a request: the master key (empty), `anonymous`, or the id of a user. */
export type Identity = string;

/** A request to the Parse API. */
export interface RestRequest {
  kind: "rest";
  method: ConsoleMethod;
  /** Below the URL of the Parse API, with its query string. */
  path: string;
  /** JSON text; empty without a body. */
  body: string;
  as: Identity;
}

interface GraphqlRequest {
  kind: "graphql";
  query: string;
  /** JSON text. */
  variables: string;
  as: Identity;
}

export type ConsoleRequest = RestRequest | GraphqlRequest;

/** A request that was sent, for the history. */
export interface SentRequest {
  request: ConsoleRequest;
  at: string;
  status: number;
  ms: number;
}

/** The JSON of a request as one line, for lists. */
export function titleOf(request: ConsoleRequest): string {
  if (request.kind === "rest") return `${request.method} ${request.path}`;
  return request.query.replace(/\s+/g, " ").trim();
}

/** Parses JSON that has been validated as an object; empty text is undefined. */
export function bodyOf(text: string): JsonObject | undefined {
  if (text.trim() === "") return undefined;
  const body: JsonObject = JSON.parse(text);
  return body;
}
