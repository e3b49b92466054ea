import type { IncomingHttpHeaders } from "node:http";
import {
  assertStorable,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
} from "@purse/protocol";
import type { Method } from "./api.ts";

/** What a request says of itself and of who sends it, in headers or in underscore fields of the body. */
export interface Envelope {
  method: Method;
  appId: string | undefined;
  masterKey: string | undefined;
  sessionToken: string | undefined;
  installationId: string | undefined;
  context: JsonObject;
  /** By which the client knows the request again when it sends it twice. */
  clientRequestId: string | undefined;
  /**
   * Whether the client sends it again because no answer came: `text/plain; attempt=2`. In the content type, as other
   * servers pass over it there and browsers ask nobody for leave.
   */
  isRepetition: boolean;
  params: JsonObject;
}

const METHODS: Readonly<Record<string, Method>> = { GET: "GET", POST: "POST", PUT: "PUT", DELETE: "DELETE" };

/**
 * Opens the envelope of the Parse protocol: JSON whatever the content type says, the real verb in
 * `_method` of a POST, credentials in `_…` fields or `X-Parse-…` headers, parameters of the query
 * string beside those of the body. Throws 107 on malformed JSON.
 */
export function openEnvelope(
  verb: string,
  headers: IncomingHttpHeaders,
  search: string,
  body: Buffer,
): Envelope {
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
  const fields = isForm ? parseForm(body) : parseBody(body);
  const method = methodOf(verb, fields._method);
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const text = (value: JsonValue | undefined, name: string) => {
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    throw new ProtocolError(ErrorCode.INVALID_JSON, `${name} must be a string`);
  };
  const { _method, _ApplicationId, _JavaScriptKey, _ClientVersion, _InstallationId, ...rest } = fields;
  const { _SessionToken, _MasterKey, _context, _RevocableSession, _noBody, _ClientKey, ...others } = rest;
  const { _RESTAPIKey, _RequestId, ...params } = others;
  if (search !== "") addSearch(params, search);
  return {
    method,
    appId: text(_ApplicationId, "_ApplicationId") ?? header("x-parse-application-id"),
    masterKey: text(_MasterKey, "_MasterKey") ?? header("x-parse-master-key"),
    sessionToken: text(_SessionToken, "_SessionToken") ?? header("x-parse-session-token"),
    installationId: text(_InstallationId, "_InstallationId") ?? header("x-parse-installation-id"),
    clientRequestId: header("x-parse-request-id"),
    isRepetition: /;\s*attempt=\d/.test(headers["content-type"] ?? ""),
    context: contextOf(_context ?? header("x-parse-cloud-context")),
    params,
  };
}

function parseBody(body: Buffer): JsonObject {
  if (body.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw new ProtocolError(ErrorCode.INVALID_JSON, "invalid JSON: the body is not valid JSON");
  }
  if (!isJsonObject(value)) throw new ProtocolError(ErrorCode.INVALID_JSON, "the body must be a JSON object");
  if (Object.hasOwn(value, "__proto__"))
    throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "Invalid key name: __proto__");
  return value;
}

/** The fields of an HTML form; old clients send JSON under the same content type. */
function parseForm(body: Buffer): JsonObject {
  const text = body.toString("utf8");
  if (text.trimStart().startsWith("{")) return parseBody(body);
  const fields: JsonObject = {};
  addSearch(fields, text);
  return fields;
}

function methodOf(verb: string, override: JsonValue | undefined): Method {
  const asked = verb === "POST" && override !== undefined ? override : verb === "HEAD" ? "GET" : verb;
  const method = typeof asked === "string" && Object.hasOwn(METHODS, asked) ? METHODS[asked] : undefined;
  if (method) return method;
  throw new ProtocolError(
    ErrorCode.COMMAND_UNAVAILABLE,
    `unknown method: ${String(asked).slice(0, 16)}`,
    405,
  );
}

/** Adds the parameters of a query string: repeated ones, and those with [] behind their names, as lists. */
export function addSearch(params: JsonObject, search: string): void {
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === "__proto__")
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "Invalid key name: __proto__");
    const key = name.endsWith("[]") ? name.slice(0, -2) : name;
    const known = Object.hasOwn(params, key) ? params[key] : undefined;
    if (Array.isArray(known)) known.push(value);
    else if (name.endsWith("[]")) params[key] = [value];
    else if (typeof known === "string") params[key] = [known, value];
    else if (known === undefined) params[key] = value;
  }
}

function contextOf(value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === null) return {};
  let parsed: unknown = value;
  if (typeof value === "string") {
    try {
      parsed = JSON.parse(value);
    } catch {
      throw new ProtocolError(ErrorCode.INVALID_JSON, "Invalid object for context");
    }
  }
  if (!isJsonObject(parsed)) throw new ProtocolError(ErrorCode.INVALID_JSON, "Invalid object for context");
  assertStorable(parsed);
  return parsed;
}
