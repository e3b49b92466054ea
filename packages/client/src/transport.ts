import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { type Connection, connection } from "./connection.ts";
import { installationId, loadStoredUser, uuid } from "./identity.ts";
import { loadValueTypes } from "./object/valueTypes.ts";
import { sessionHasEnded } from "./sessionEnd.ts";

/** The version that the client tells the server, and the Moralis version that it replaces. */
export const VERSION = "1.7.0";

const REQUEST_ID = "X-Parse-Request-Id";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** As whom a call is made, and how long. */
export interface RequestOptions {
  /** Sends the master key, if the connection has one. */
  useMasterKey?: boolean;
  /** Instead of the current user's; an empty text sends none. */
  sessionToken?: string;
  installationId?: string;
  /** Handed to the server's triggers. */
  context?: JsonObject;
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: JsonValue;
}

/**
 * Calls the server: POST as text/plain (spares browsers a preflight) with the real verb and who asks in the body.
 * Tries again on status ≥ 500 or no connection. Throws ParseError.
 */
export async function request(
  method: Method,
  path: string,
  payload: JsonObject = {},
  options: RequestOptions = {},
  on: Connection = connection(),
): Promise<Answer> {
  const body = JSON.stringify(await envelope(method, payload, options, on));
  const headers: Record<string, string> = { "Content-Type": "text/plain", ...gateHeaders(on) };
  if (on.idempotency) headers[REQUEST_ID] = uuid();
  return send(`${on.serverUrl}/${path}`, { method: "POST", headers, body }, options, on);
}

/** Like `request`, for answers that are objects. Throws 107 for any other. */
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

/** Like `request`, for answers that list results. Throws 107 for any other. */
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

/** What is undefined in it does not travel. */
async function envelope(
  method: Method,
  payload: JsonObject,
  options: RequestOptions,
  on: Connection,
): Promise<Record<string, JsonValue | undefined>> {
  const masterKey = options.useMasterKey ? on.masterKey : undefined;
  return {
    ...payload,
    _context: options.context,
    _method: method === "POST" ? undefined : method,
    _ApplicationId: on.applicationId,
    _MasterKey: masterKey,
    _JavaScriptKey: masterKey ? undefined : on.javascriptKey,
    _ClientVersion: `js${VERSION}`,
    _InstallationId: options.installationId ?? (await installationId(on)),
    _RevocableSession: on.revocableSession ? "1" : undefined,
    _SessionToken: await sessionTokenFor(options, on),
  };
}

/** The session that a call is made with. */
export async function sessionTokenFor(options: RequestOptions, on: Connection): Promise<string | undefined> {
  const token = options.sessionToken ?? (await loadStoredUser(on))?.sessionToken;
  return typeof token === "string" && token ? token : undefined;
}

/** What the application or a gate before the server asks for. */
export function gateHeaders({
  requestHeaders,
  serverAuthType,
  serverAuthToken,
}: Connection): Record<string, string> {
  if (!serverAuthType || !serverAuthToken) return { ...requestHeaders };
  return { ...requestHeaders, Authorization: `${serverAuthType} ${serverAuthToken}` };
}

/** One HTTP exchange with its retries, of which `init` is told; also used for the calls that are not in the envelope. */
export async function send(
  url: string,
  init: HttpRequest,
  options: { signal?: AbortSignal; emptyAllowed?: boolean },
  on: Connection,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await attemptOnce(url, init, options.signal, on);
    if (response.status >= 200 && response.status < 300) {
      await loadValueTypes(response.text);
      return success(response, options.emptyAllowed === true);
    }
    if (!mayRecover(response) || attempt >= on.requestAttemptLimit) {
      const error = failure(response);
      if (error.code === ErrorCode.INVALID_SESSION_TOKEN) sessionHasEnded();
      throw error;
    }
    await pauseAfter(attempt, on, options.signal);
    // A server that knows the request by its id answers as it has done before.
    if (init.headers[REQUEST_ID]) init.headers["Content-Type"] = `text/plain; attempt=${attempt + 1}`;
  }
}

/** About 125 ms times chance times 2^attempt; `attempt` counts from 1. */
export function pauseAfter(attempt: number, on: Connection, signal?: AbortSignal): Promise<void> {
  return on.clock.sleep(Math.round(on.clock.random() * 125 * 2 ** attempt), signal);
}

/** Whether another attempt may be answered: the server failed, or was not reached. */
export function mayRecover({ status }: Pick<HttpAnswer, "status">): boolean {
  return status === 0 || status >= 500;
}

export interface HttpRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | Blob | Uint8Array<ArrayBuffer>;
}

export interface HttpAnswer {
  /** 0 when no answer came. */
  status: number;
  text: string;
  headers: Headers;
}

/** One attempt. Throws only the reason of the signal. */
export async function attemptOnce(
  url: string,
  init: HttpRequest,
  signal: AbortSignal | undefined,
  on: Connection,
): Promise<HttpAnswer> {
  try {
    const response = await on.fetch(url, signal ? { ...init, signal } : init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  } catch {
    // fetch tells a refused and a broken connection apart from an abort only by the signal.
    if (signal?.aborted) throw signal.reason;
    return { status: 0, text: "", headers: new Headers() };
  }
}

function success(response: HttpAnswer, emptyAllowed: boolean): Answer {
  if (emptyAllowed && response.text === "") return { ...response, body: {} };
  let body: JsonValue;
  try {
    body = JSON.parse(response.text);
  } catch (error) {
    throw connectionFailed(String(error));
  }
  if (!body) throw invalidResponse();
  return { ...response, body };
}

/** The error that an answer stands for. */
export function failure({ status, text }: Pick<HttpAnswer, "status" | "text">): ProtocolError {
  if (status === 0) return connectionFailed("Unable to connect to the Parse API");
  if (!text) return connectionFailed(`Status ${status} without an answer`);
  try {
    const body: unknown = JSON.parse(text);
    if (isJsonObject(body)) {
      const code = typeof body.code === "number" ? body.code : ErrorCode.OTHER_CAUSE;
      const message = body.error ?? body.message ?? text;
      return new ProtocolError(code, typeof message === "string" ? message : JSON.stringify(message), status);
    }
  } catch {
    // Falls to the answer for whatever is not an error object.
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
