import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";

/*
 * What applications found on the old Web3API beside its operations. Some extend it with operations of their own.
 */

/** Of pages that go by offset. */
const DEFAULT_PAGE_SIZE = 500;

/** An operation as the old client described it; `url` is a path with parameters as `:address`. */
export interface OldEndpoint {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  group?: string;
  name: string;
  url: string;
  bodyParams?: readonly OldBodyParameter[];
}

export interface OldBodyParameter {
  key: string;
  /** `set body`: it is the body as a whole. */
  type?: string;
  required?: boolean;
}

/** Says which parameter is the whole body. */
export const BodyParamTypes = { setBody: "set body", property: "property" } as const;

const RATE_LIMIT_HEADERS = [
  "x-rate-limit-limit",
  "x-rate-limit-remaining-ttl",
  "x-rate-limit-used",
  "x-rate-limit-remaining-ip-ttl",
  "x-rate-limit-ip-used",
] as const;

type HeaderBag = Headers | Readonly<Record<string, unknown>>;

/** What an answer's headers tell of the caller's limits. */
export function getApiRateLimitInfo(headers: HeaderBag): Record<string, unknown> {
  const read = (name: string): unknown =>
    headers instanceof Headers ? headers.get(name) : (headers[name] ?? null);
  return Object.fromEntries(RATE_LIMIT_HEADERS.map((name) => [name, read(name)]));
}

/** The answer's message, else the error's, else that the call has failed. */
export function getApiErrorMessage(error: unknown, url: string): string {
  const response = member(error, "response");
  const said = member(member(response, "data"), "message") || member(error, "message");
  return typeof said === "string" && said ? said : `Web3 API error while calling ${url}`;
}

/** Fills a path's parameters in, and takes them out of `params`. Throws where one is missing. */
export function getParameterizedUrl(url: string, params: JsonObject): string {
  return url.replace(/:(\w+)/g, (_, key: string) => {
    const value = params[key];
    if (!value) throw refusal(`required param ${key} not provided`);
    delete params[key];
    return encodeURIComponent(String(value));
  });
}

/** Takes the body out of `params`. Throws where a part of it is missing. */
export function getBody(
  params: JsonObject | undefined,
  bodyParams: readonly OldBodyParameter[] | undefined,
): JsonValue | undefined {
  if (!params || !bodyParams?.length) return undefined;
  let body: JsonValue = {};
  for (const { key, type, required } of bodyParams) {
    const value = params[key];
    delete params[key];
    if (value === undefined) {
      if (required) throw refusal(`param ${key} is required!`);
    } else if (type === BodyParamTypes.setBody) body = value;
    else if (isJsonObject(body)) body[key] = value;
  }
  return body;
}

/** The parameters of the page after a result; the same ones where there is none. */
export function getNextOptions(result: unknown, options: JsonObject): JsonObject {
  if (!isJsonObject(result)) return options;
  const { total, page, page_size: size, cursor } = result;
  if (typeof total !== "number" || typeof page !== "number" || typeof size !== "number") return options;
  if (!size || total <= size * (page + 1)) return options;
  if (typeof cursor === "string" && cursor) return { ...options, cursor };
  const limit = typeof options.limit === "number" ? options.limit : DEFAULT_PAGE_SIZE;
  return { ...options, offset: (page + 1) * limit };
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, message);
}
