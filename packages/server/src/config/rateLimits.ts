import { isJsonObject, type JsonObject } from "@purse/protocol";

/** A rate limit for a path of the Parse API. */
export interface RateLimit {
  /** Path below the mount path: `/login`, `/functions/:name`, `/classes/*`; `:name` matches a segment, a final `*` the rest. */
  path: string;
  /** Undefined for all methods. */
  methods: readonly string[] | undefined;
  windowSeconds: number;
  /** Maximum requests in a window. */
  count: number;
  /** Which requests are counted together; those without a session are counted by IP address. */
  by: "ip" | "user" | "session" | "all";
  includeMasterKey: boolean;
  /** Whether requests from cloud code are counted too. */
  includeInternalRequests?: boolean;
  /** Error message for rejected requests, instead of the default. */
  message?: string;
}

const KEYS = ["path", "methods", "windowSeconds", "count", "by", "includeMasterKey"];
const METHODS = ["GET", "POST", "PUT", "DELETE"];
const MAX_SECONDS = 31 * 86_400;

/** Parses `rateLimits` of the config file. Throws Error that says what is allowed. */
export function parseRateLimits(value: unknown): RateLimit[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error("it must be a list of { path, windowSeconds, count, by }");
  return value.map((each: unknown, index) => {
    const invalid = (reason: string) => new Error(`limit ${index + 1}: ${reason}`);
    if (!isJsonObject(each)) throw invalid("it must be { path, windowSeconds, count, by }");
    const unknownKey = Object.keys(each).find((key) => !KEYS.includes(key));
    if (unknownKey !== undefined) throw invalid(`"${unknownKey}" is not one of ${KEYS.join(", ")}`);
    const { path, methods, by = "ip", includeMasterKey = false } = each;
    if (typeof path !== "string" || !/^(\/(:\w+|[\w.~-]+))*(\/\*)?$/.test(path) || path === "")
      throw invalid("path must be like /login, /functions/:name or /classes/*");
    if (by !== "ip" && by !== "user" && by !== "session" && by !== "all")
      throw invalid("by must be ip, user, session or all");
    if (typeof includeMasterKey !== "boolean") throw invalid("includeMasterKey must be true or false");
    return {
      path,
      methods: methodsOf(methods, invalid),
      windowSeconds: integerField(each, "windowSeconds", MAX_SECONDS, invalid),
      count: integerField(each, "count", 1_000_000_000, invalid),
      by,
      includeMasterKey,
    };
  });
}

function methodsOf(value: unknown, invalid: (reason: string) => Error): string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.length > 0) {
    const methods = value.filter((each) => typeof each === "string" && METHODS.includes(each));
    if (methods.length === value.length) return methods;
  }
  throw invalid(`methods must be a list of ${METHODS.join(", ")}`);
}

function integerField(
  limit: JsonObject,
  key: "windowSeconds" | "count",
  max: number,
  invalid: (reason: string) => Error,
): number {
  const value = limit[key];
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= max) return value;
  throw invalid(`${key} must be a whole number from 1 to ${max}`);
}
