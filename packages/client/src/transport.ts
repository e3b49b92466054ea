import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  tryParseJson,
} from "@purse/protocol";
import { type Connection, connection } from "./connection.ts";
import { installationId } from "./installationId.ts";
import { loadValueTypes } from "./object/valueTypes.ts";
import { notifySessionEnd } from "./sessionEnd.ts";
import { loadStoredUser } from "./storedUser.ts";
import { uuid } from "./uuid.ts";

/** The version that is sent to the server: that of the Moralis SDK which this client replaces. */
export const VERSION = "1.7.0";

const REQUEST_ID = "X-Parse-Request-Id";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Credentials and lifetime of a call. */
export interface RequestOptions {
  /** Sends the master key, if the connection has one. */
  useMasterKey?: boolean;
  /** Replaces the current user's; an empty string sends none. */
  sessionToken?: string;
  installationId?: string;
  /** Passed to the server's triggers. */
  context?: JsonObject;
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  body: JsonValue;
}

/**
 * Calls the server: POST as text/plain (avoids a CORS preflight) with the method and credentials in the body.
 * Retries on status ≥ 500 and connection failures. Throws ParseError.
 */
export async function request(
  method: Method,
  path: string,
  payload: JsonObject = {},
  options: RequestOptions = {},
  conn: Connection = connection(),
): Promise<ApiResponse> {
  const body = JSON.stringify(await envelope(method, payload, options, conn));
  const headers: Record<string, string> = { "Content-Type": "text/plain", ...customHeaders(conn) };
  if (conn.idempotency) headers[REQUEST_ID] = uuid();
  return send(`${conn.serverUrl}/${path}`, { method: "POST", headers, body }, options, conn);
}

/** Like `request`, for responses that are objects. Throws 107 for others. */
export async function requestObject(
  method: Method,
  path: string,
  payload?: JsonObject,
  options?: RequestOptions,
): Promise<JsonObject> {
  const { body } = await request(method, path, payload, options);
  if (isJsonObject(body)) return body;
  throw invalidResponse();
}

/** Like `request`, for responses with a list of results. Throws 107 for others. */
export async function requestResults(
  path: string,
  payload: JsonObject,
  options: RequestOptions,
): Promise<JsonObject & { results: JsonValue[] }> {
  const { results, ...rest } = await requestObject("GET", path, payload, options);
  if (Array.isArray(results)) return { ...rest, results };
  throw invalidResponse();
}

export function invalidResponse(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, "The server returned an invalid response.");
}

/** Undefined fields are not sent. */
async function envelope(
  method: Method,
  payload: JsonObject,
  options: RequestOptions,
  conn: Connection,
): Promise<Record<string, JsonValue | undefined>> {
  const masterKey = options.useMasterKey ? conn.masterKey : undefined;
  return {
    ...payload,
    _context: options.context,
    _method: method === "POST" ? undefined : method,
    _ApplicationId: conn.applicationId,
    _MasterKey: masterKey,
    _JavaScriptKey: masterKey ? undefined : conn.javascriptKey,
    _ClientVersion: `js${VERSION}`,
    _InstallationId: options.installationId ?? (await installationId(conn)),
    _RevocableSession: conn.revocableSession ? "1" : undefined,
    _SessionToken: await sessionTokenFor(options, conn),
  };
}

/** The session token of a call. */
export async function sessionTokenFor(
  options: RequestOptions,
  conn: Connection,
): Promise<string | undefined> {
  const token = options.sessionToken ?? (await loadStoredUser(conn))?.sessionToken;
  return typeof token === "string" && token ? token : undefined;
}

/** The custom headers of the application and the Authorization header for a proxy. */
export function customHeaders({
  requestHeaders,
  serverAuthType,
  serverAuthToken,
}: Connection): Record<string, string> {
  if (!serverAuthType || !serverAuthToken) return { ...requestHeaders };
  return { ...requestHeaders, Authorization: `${serverAuthType} ${serverAuthToken}` };
}

/** Sends an HTTP request with retries; also used for requests that do not use the envelope. */
export async function send(
  url: string,
  init: HttpRequest,
  options: { signal?: AbortSignal; allowsEmpty?: boolean },
  conn: Connection,
): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await sendOnce(url, init, options.signal, conn);
    if (response.status >= 200 && response.status < 300) {
      await loadValueTypes(response.text);
      return parseResponse(response, options.allowsEmpty === true);
    }
    if (!isRetryable(response) || attempt >= conn.requestAttemptLimit) {
      const error = errorFrom(response);
      if (error.code === ErrorCode.INVALID_SESSION_TOKEN) notifySessionEnd();
      throw error;
    }
    await waitBeforeRetry(attempt, conn, options.signal);
    // The server recognizes the retry by its request id and repeats its response.
    if (init.headers[REQUEST_ID]) init.headers["Content-Type"] = `text/plain; attempt=${attempt + 1}`;
  }
}

/** Waits for a random part of 125 ms × 2^attempt; `attempt` counts from 1. */
export function waitBeforeRetry(attempt: number, conn: Connection, signal?: AbortSignal): Promise<void> {
  return conn.clock.sleep(Math.round(conn.clock.random() * 125 * 2 ** attempt), signal);
}

/** Whether another attempt may succeed: the server failed or was not reached. */
export function isRetryable({ status }: Pick<HttpResponse, "status">): boolean {
  return status === 0 || status >= 500;
}

export interface HttpRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | Blob | Uint8Array<ArrayBuffer>;
}

export interface HttpResponse {
  /** 0 without a response. */
  status: number;
  text: string;
  headers: Headers;
}

/** Makes one attempt. Throws only the signal's reason. */
export async function sendOnce(
  url: string,
  init: HttpRequest,
  signal: AbortSignal | undefined,
  conn: Connection,
): Promise<HttpResponse> {
  try {
    const response = await conn.fetch(url, signal ? { ...init, signal } : init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  } catch {
    // Only the signal distinguishes an abort from a connection failure.
    if (signal?.aborted) throw signal.reason;
    return { status: 0, text: "", headers: new Headers() };
  }
}

function parseResponse(response: HttpResponse, allowsEmpty: boolean): ApiResponse {
  if (allowsEmpty && response.text === "") return { ...response, body: {} };
  let body: JsonValue;
  try {
    body = JSON.parse(response.text);
  } catch (error) {
    throw connectionFailed(String(error));
  }
  if (!body) throw invalidResponse();
  return { ...response, body };
}

/** Converts a response to an error. */
export function errorFrom({ status, text }: Pick<HttpResponse, "status" | "text">): ProtocolError {
  if (status === 0) return connectionFailed("Unable to connect to the Parse API");
  if (!text) return connectionFailed(`Status ${status} without a response body`);
  const body = tryParseJson(text);
  if (isJsonObject(body)) {
    const code = typeof body.code === "number" ? body.code : ErrorCode.OTHER_CAUSE;
    // Only servers in development send one.
    if (body.hint) console.warn(body.hint);
    const message = body.error ?? body.message ?? text;
    return new ProtocolError(code, typeof message === "string" ? message : JSON.stringify(message), status);
  }
  return new ProtocolError(
    ErrorCode.INVALID_JSON,
    `Received an error with invalid JSON from Parse: ${text}`,
    status,
  );
}

function connectionFailed(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.CONNECTION_FAILED, `XMLHttpRequest failed: ${JSON.stringify(reason)}`);
}
