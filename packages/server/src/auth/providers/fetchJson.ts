import { sendRequest } from "@purse/outbound";
import { isJsonObject, type JsonObject, tryParseJson } from "@purse/protocol";

/** Deadline of a request to a service, in ms, and the largest response that is read, in bytes. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

export interface ServiceRequest {
  url: string;
  headers?: Record<string, string>;
  /** Without it, the request is a GET. */
  body?: string;
}

/** Requests JSON of a sign-in service. Rejects with Error unless it answers 200 with an object. */
export type FetchJson = (request: ServiceRequest) => Promise<JsonObject>;

/** The operator has configured or the code contains the URLs, which may have private addresses. */
export const fetchJson: FetchJson = async ({ url, headers = {}, body }) => {
  const response = await sendRequest({
    url,
    headers: { accept: "application/json", "user-agent": "purse", ...headers },
    body,
    deadlineMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    allowPrivate: true,
  });
  const value = response.status === 200 ? tryParseJson(response.body) : undefined;
  if (isJsonObject(value)) return value;
  throw new Error(`${new URL(url).hostname} answered ${response.status}`);
};
