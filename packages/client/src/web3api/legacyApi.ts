import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { pathOf } from "../pathOf.ts";

/*
 * Members of the Moralis Web3API other than its operations. Some applications add their own operations with them.
 */

/** The page size of offset pagination. */
const DEFAULT_PAGE_SIZE = 500;

/** An endpoint as Moralis describes it; `url` is a path with parameters as `:address`. */
export interface LegacyEndpoint {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  group?: string;
  name: string;
  url: string;
  bodyParams?: readonly LegacyBodyParameter[];
}

export interface LegacyBodyParameter {
  key: string;
  /** `set body`: the parameter is the whole body. */
  type?: string;
  required?: boolean;
}

/** The types of body parameters. */
export const BodyParamTypes = { setBody: "set body", property: "property" } as const;

const RATE_LIMIT_HEADERS = [
  "x-rate-limit-limit",
  "x-rate-limit-remaining-ttl",
  "x-rate-limit-used",
  "x-rate-limit-remaining-ip-ttl",
  "x-rate-limit-ip-used",
] as const;

type HeaderBag = Headers | Readonly<Record<string, unknown>>;

/** The rate limit headers of a response. */
export function getApiRateLimitInfo(headers: HeaderBag): Record<string, unknown> {
  const read = (name: string): unknown =>
    headers instanceof Headers ? headers.get(name) : (headers[name] ?? null);
  return Object.fromEntries(RATE_LIMIT_HEADERS.map((name) => [name, read(name)]));
}

/** The message of the response, else of the error, else a generic one. */
export function getApiErrorMessage(error: unknown, url: string): string {
  const response = member(error, "response");
  const message = member(member(response, "data"), "message") || member(error, "message");
  return typeof message === "string" && message ? message : `Web3 API error while calling ${url}`;
}

/** Fills in the path parameters, and removes them from `params`. Throws if one is missing. */
export function getParameterizedUrl(url: string, params: JsonObject): string {
  return url.replace(/:(\w+)/g, (_, key: string) => {
    const value = params[key];
    if (!value) throw validationError(`required param ${key} not provided`);
    delete params[key];
    return pathOf(String(value));
  });
}

/** Removes the body parameters from `params`. Throws if a required one is missing. */
export function getBody(
  params: JsonObject | undefined,
  bodyParams: readonly LegacyBodyParameter[] | undefined,
): JsonValue | undefined {
  if (!params || !bodyParams?.length) return undefined;
  let body: JsonValue = {};
  for (const { key, type, required } of bodyParams) {
    const value = params[key];
    delete params[key];
    if (value === undefined) {
      if (required) throw validationError(`param ${key} is required!`);
    } else if (type === BodyParamTypes.setBody) body = value;
    else if (isJsonObject(body)) body[key] = value;
  }
  return body;
}

/** The parameters of the next page; the same object if there is none. */
export function getNextOptions(result: unknown, options: JsonObject): JsonObject {
  if (!isJsonObject(result)) return options;
  const { total, page, page_size: size, cursor } = result;
  if (typeof page !== "number" || typeof size !== "number" || !size) return options;
  // Lists without a total end with an empty cursor.
  if (total === undefined) return typeof cursor === "string" && cursor ? { ...options, cursor } : options;
  if (typeof total !== "number" || total <= size * (page + 1)) return options;
  if (typeof cursor === "string" && cursor) return { ...options, cursor };
  const limit = typeof options.limit === "number" ? options.limit : DEFAULT_PAGE_SIZE;
  return { ...options, offset: (page + 1) * limit };
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function validationError(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, message);
}
