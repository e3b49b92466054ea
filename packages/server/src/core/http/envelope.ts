import type { IncomingHttpHeaders } from "node:http";
import {
  assertStorable,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_INSTALLATION_ID_LENGTH,
  MAX_REQUEST_ID_LENGTH,
  ownValue,
  ProtocolError,
  parseJson,
} from "@purse/protocol";
import type { Method } from "./apiRoute.ts";
import { CLIENT_KEY_NAMES, CLIENT_KEYS, type ClientKeys } from "./clientKeys.ts";
import { addQueryParams } from "./parseForm.ts";

/** The envelope of a request: its method, credentials and ids, in headers or in underscore fields of the body. */
export interface Envelope {
  method: Method;
  appId: string | undefined;
  masterKey: string | undefined;
  maintenanceKey: string | undefined;
  /** The keys that identify the client app. */
  clientKeys: ClientKeys;
  sessionToken: string | undefined;
  installationId: string | undefined;
  context: JsonObject;
  /** The id by which the client identifies the request if it sends it twice. */
  clientRequestId: string | undefined;
  /**
   * Whether the client retries the request because it received no response: `text/plain; attempt=2`. It is part of the
   * content type because other servers ignore it there and browsers do not need a preflight for it.
   */
  isRetry: boolean;
  params: JsonObject;
}

const METHODS: Readonly<Record<string, Method>> = { GET: "GET", POST: "POST", PUT: "PUT", DELETE: "DELETE" };

/** Fields of a body that belong to the envelope and are not parameters. */
const ENVELOPE_FIELDS: ReadonlySet<string> = new Set([
  "_method",
  "_ApplicationId",
  "_JavaScriptKey",
  "_ClientVersion",
  "_InstallationId",
  "_SessionToken",
  "_MasterKey",
  "_context",
  "_RevocableSession",
  "_noBody",
  "_ClientKey",
  "_RESTAPIKey",
  "_WindowsKey",
  "_RequestId",
]);

/**
 * Parses the envelope of the Parse protocol: the method in `_method` of a POST, credentials in `_…` fields of the body
 * or `X-Parse-…` headers, parameters in the query string and the body. Throws 107 for malformed credentials and ids, 209
 * for a malformed session token.
 */
export function parseEnvelope(
  verb: string,
  headers: IncomingHttpHeaders,
  search: string,
  fields: JsonObject = {},
): Envelope {
  const headerValue = (name: string) => {
    const value = headers[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const bodyField = (name: string) => {
    const value = ownValue(fields, name);
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    throw new ProtocolError(ErrorCode.INVALID_JSON, `${name} must be a string`);
  };
  /** Clients have always been able to send anything as the key of their app. */
  const textField = (name: string) => {
    const value = ownValue(fields, name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const clientKeys: ClientKeys = {};
  for (const name of CLIENT_KEYS) {
    const { field, header } = CLIENT_KEY_NAMES[name];
    clientKeys[name] = textField(field) ?? headerValue(header);
  }
  return {
    method: methodOf(verb, fields._method),
    appId: bodyField("_ApplicationId") ?? headerValue("x-parse-application-id"),
    masterKey: bodyField("_MasterKey") ?? headerValue("x-parse-master-key"),
    maintenanceKey: headerValue("x-parse-maintenance-key"),
    clientKeys,
    sessionToken: sessionTokenOf(fields) ?? headerValue("x-parse-session-token"),
    installationId: assertLength(
      "The installation id",
      bodyField("_InstallationId") ?? headerValue("x-parse-installation-id"),
      MAX_INSTALLATION_ID_LENGTH,
    ),
    clientRequestId: assertLength(
      "X-Parse-Request-Id",
      headerValue("x-parse-request-id"),
      MAX_REQUEST_ID_LENGTH,
    ),
    isRetry: /;\s*attempt=\d/.test(headers["content-type"] ?? ""),
    context: contextOf(fields._context ?? headerValue("x-parse-cloud-context")),
    params: withQueryParams(paramsOf(fields), search),
  };
}

/** Parameters with those of the query string, which replace others of the same name as in Parse Server. */
function withQueryParams(params: JsonObject, search: string): JsonObject {
  if (search === "") return params;
  const query: JsonObject = {};
  addQueryParams(query, search);
  return { ...params, ...query };
}

/** The session token in a body; throws 209 for anything but text, such as an operator of a query. */
function sessionTokenOf(fields: JsonObject): string | undefined {
  const token = Object.hasOwn(fields, "_SessionToken") ? fields._SessionToken : undefined;
  if (token === undefined || token === null || token === "") return undefined;
  if (typeof token === "string") return token;
  throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
}

/** The fields without those of the envelope. */
function paramsOf(fields: JsonObject): JsonObject {
  const names = Object.keys(fields);
  if (!names.some((name) => ENVELOPE_FIELDS.has(name))) return fields;
  const params: JsonObject = {};
  for (const name of names) if (!ENVELOPE_FIELDS.has(name)) params[name] = fields[name] ?? null;
  return params;
}

function assertLength(label: string, value: string | undefined, maxLength: number): string | undefined {
  if (value === undefined || value.length <= maxLength) return value;
  throw new ProtocolError(ErrorCode.INVALID_JSON, `${label} takes ${maxLength} characters at most`);
}

function methodOf(verb: string, override: JsonValue | undefined): Method {
  const requestedMethod =
    verb === "POST" && override !== undefined ? override : verb === "HEAD" ? "GET" : verb;
  const method =
    typeof requestedMethod === "string" && Object.hasOwn(METHODS, requestedMethod)
      ? METHODS[requestedMethod]
      : undefined;
  if (method) return method;
  throw new ProtocolError(
    ErrorCode.COMMAND_UNAVAILABLE,
    `unknown method: ${String(requestedMethod).slice(0, 16)}`,
    405,
  );
}

function contextOf(value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === null) return {};
  let parsed: unknown = value;
  if (typeof value === "string") {
    try {
      parsed = parseJson(value);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      throw new ProtocolError(ErrorCode.INVALID_JSON, "Invalid object for context");
    }
  }
  if (!isJsonObject(parsed)) throw new ProtocolError(ErrorCode.INVALID_JSON, "Invalid object for context");
  assertStorable(parsed);
  return parsed;
}
