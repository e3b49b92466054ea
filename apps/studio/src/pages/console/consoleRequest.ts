import type { JsonObject } from "@purse/protocol";
import { loadList, saveJson } from "@purse/ui";

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

export interface GraphqlRequest {
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

const MAX_SENT = 30;
/** Longer requests are not kept, in characters. */
const MAX_LENGTH = 20_000;

type HistoryStorage = Pick<Storage, "getItem" | "setItem">;

/** Requests of this operator in this tab, newest first. */
export function loadSent(storage: HistoryStorage, key: string): SentRequest[] {
  return loadList(storage, storageKey(key));
}

/** Stores a request and returns the updated history. */
export function saveSent(storage: HistoryStorage, key: string, sent: SentRequest): SentRequest[] {
  const before = loadSent(storage, key);
  if (JSON.stringify(sent).length > MAX_LENGTH) return before;
  const all = [sent, ...before].slice(0, MAX_SENT);
  saveJson(storage, storageKey(key), all);
  return all;
}

function storageKey(key: string): string {
  return `purse:studio:console:${key}`;
}
