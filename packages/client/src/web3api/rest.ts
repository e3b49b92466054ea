import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  tryParseJson,
} from "@purse/protocol";
import { currentConnection } from "../connection.ts";
import { pathOf } from "../pathOf.ts";
import type { RequestOptions } from "../transport.ts";
import { hostedRoutes } from "./hostedRoutes.ts";
import {
  BodyParamTypes,
  getApiRateLimitInfo,
  type LegacyBodyParameter,
  type LegacyEndpoint,
} from "./legacyApi.ts";
import type { Operation } from "./operation.ts";
import { routes } from "./routes.ts";

/** A REST data API that is called directly. */
export interface RestService {
  apiKey: string;
  /** Without a slash at the end. */
  url: string;
}

const RATE_LIMITED =
  "This Moralis Server is rate-limited because of the plan restrictions. See the details about the current rate and throttle limits:";

/** Calls an operation, by its name or another one, with the parameters in the path, the query and the body. Throws ParseError. */
export async function callRest(
  { apiKey, url }: RestService,
  target: string | LegacyEndpoint,
  params: JsonObject,
  { signal }: RequestOptions,
): Promise<JsonValue> {
  const operation = typeof target === "string" ? routeOf(target) : operationOf(target);
  const [method = "GET", template = ""] = operation.route.split(" ");
  const remaining = { ...params };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = remaining[name];
    delete remaining[name];
    if (value === undefined || value === null) throw apiError(`required param ${name} not provided`);
    return pathOf(String(value));
  });
  const headers = { Accept: "application/json", "Content-Type": "application/json", "x-api-key": apiKey };
  const init: RequestInit = { method, headers, signal: signal ?? null };
  if (method === "POST") init.body = JSON.stringify(extractBody(operation, remaining));
  const address = `${url}${path}${queryOf(remaining)}`;
  const fetchFn = currentConnection()?.fetch ?? fetch;
  return readResponse(
    await fetchFn(address, init).catch((error: unknown) => throwConnectionError(address, error, signal)),
    address,
  );
}

function routeOf(name: string): Operation {
  const operation = routes[name] ?? hostedRoutes[name];
  if (!operation) throw apiError(`${name} is not an operation of the data API`);
  return operation;
}

function operationOf({ method = "GET", url, bodyParams = [] }: LegacyEndpoint): Operation {
  const whole = bodyParams.find(({ type }) => type === BodyParamTypes.setBody);
  const properties = bodyParams.filter(({ type }) => type !== BodyParamTypes.setBody);
  const bodyEntry = ({ key, required }: LegacyBodyParameter) => [key, required ? "required" : "optional"];
  return {
    route: `${method} ${url.replace(/:(\w+)/g, "{$1}")}`,
    body: Object.fromEntries(properties.map(bodyEntry)),
    ...(whole && { whole: [whole.key] }),
  };
}

/** Removes the body's parameters from the others. */
function extractBody({ whole, body = {} }: Operation, params: JsonObject): JsonValue {
  const fields: JsonObject = {};
  for (const [name, presence] of Object.entries(body)) {
    const value = params[name];
    delete params[name];
    if (value !== undefined) fields[name] = value;
    else if (presence === "required") throw apiError(`param ${name} is required!`);
  }
  if (!whole) return fields;
  const values = whole.map((name) => params[name]);
  for (const name of whole) delete params[name];
  const value = values.find((each) => each !== undefined);
  if (value === undefined) throw apiError(`param ${whole[0]} is required!`);
  return value;
}

/** Arrays as `name[]=a&name[]=b`. */
function queryOf(params: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (Array.isArray(value)) for (const item of value) query.append(`${name}[]`, String(item));
    else if (value !== null) query.append(name, paramText(value));
  }
  const text = query.toString();
  return text ? `?${text}` : "";
}

function paramText(value: JsonValue): string {
  return isJsonObject(value) && value.__type === "Date" ? String(value.iso) : String(value);
}

async function readResponse(response: Response, address: string): Promise<JsonValue> {
  const text = await response.text();
  const body = tryParseJson(text);
  if (response.ok && body !== undefined) return body;
  if (response.status === 429) {
    throw apiError(`${RATE_LIMITED} ${JSON.stringify(getApiRateLimitInfo(response.headers))}`, 429);
  }
  const message = isJsonObject(body) && typeof body.message === "string" ? body.message : "";
  throw apiError(message || `Web3 API error while calling ${address}`, response.status);
}

function throwConnectionError(address: string, error: unknown, signal: AbortSignal | undefined): never {
  if (signal?.aborted) throw signal.reason;
  const message = error instanceof Error && error.message;
  throw new ProtocolError(ErrorCode.CONNECTION_FAILED, message || `Web3 API error while calling ${address}`);
}

function apiError(message: string, status?: number): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, message, status);
}
