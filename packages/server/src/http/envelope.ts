import type { IncomingHttpHeaders } from "node:http";
import {
  assertStorable,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_INSTALLATION_ID_LENGTH,
  MAX_REQUEST_ID_LENGTH,
  ProtocolError,
  parseJson,
} from "@purse/protocol";
import type { Method } from "./api.ts";
import { addSearch } from "./form.ts";

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

/** Fields of a body that say who sends it and how it is meant: no parameters. */
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
  "_RequestId",
]);

/**
 * Opens the envelope of the Parse protocol: the real verb in `_method` of a POST, credentials in `_…` fields of the
 * body or `X-Parse-…` headers, parameters of the query string beside those of the body. Throws 107 for credentials
 * and ids that are none.
 */
export function openEnvelope(
  verb: string,
  headers: IncomingHttpHeaders,
  search: string,
  fields: JsonObject = {},
): Envelope {
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const text = (name: string) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    throw new ProtocolError(ErrorCode.INVALID_JSON, `${name} must be a string`);
  };
  const params = paramsOf(fields);
  if (search !== "") addSearch(params, search);
  return {
    method: methodOf(verb, fields._method),
    appId: text("_ApplicationId") ?? header("x-parse-application-id"),
    masterKey: text("_MasterKey") ?? header("x-parse-master-key"),
    sessionToken: text("_SessionToken") ?? header("x-parse-session-token"),
    installationId: bounded(
      "The installation id",
      text("_InstallationId") ?? header("x-parse-installation-id"),
      MAX_INSTALLATION_ID_LENGTH,
    ),
    clientRequestId: bounded("X-Parse-Request-Id", header("x-parse-request-id"), MAX_REQUEST_ID_LENGTH),
    isRepetition: /;\s*attempt=\d/.test(headers["content-type"] ?? ""),
    context: contextOf(fields._context ?? header("x-parse-cloud-context")),
    params,
  };
}

/** The fields without those of the envelope. */
function paramsOf(fields: JsonObject): JsonObject {
  const names = Object.keys(fields);
  if (!names.some((name) => ENVELOPE_FIELDS.has(name))) return fields;
  const params: JsonObject = {};
  for (const name of names) if (!ENVELOPE_FIELDS.has(name)) params[name] = fields[name] ?? null;
  return params;
}

function bounded(what: string, value: string | undefined, maxLength: number): string | undefined {
  if (value === undefined || value.length <= maxLength) return value;
  throw new ProtocolError(ErrorCode.INVALID_JSON, `${what} takes ${maxLength} characters at most`);
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
