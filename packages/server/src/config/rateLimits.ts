import { isJsonObject, type JsonObject } from "@purse/protocol";

/** How often somebody may ask for what is at a path of the Parse protocol. */
export interface RateLimit {
  /** Below the mount path: `/login`, `/functions/:name`, `/classes/*`; `:name` is any segment, `*` at the end any rest. */
  path: string;
  /** Undefined for all. */
  methods: readonly string[] | undefined;
  windowSeconds: number;
  /** Requests in a window. */
  count: number;
  /** Whose requests are counted together; whoever has no session is counted by address. */
  by: "ip" | "user" | "session" | "all";
  includeMasterKey: boolean;
  /** Whether requests of cloud code are counted too. */
  includeInternalRequests?: boolean;
  /** What whoever asks too often is told, in the place of the usual. */
  message?: string;
}

const KEYS = ["path", "methods", "windowSeconds", "count", "by", "includeMasterKey"];
const METHODS = ["GET", "POST", "PUT", "DELETE"];
const MAX_SECONDS = 31 * 86_400;

/** Reads `rateLimits` of the config file. Throws Error that says what is allowed. */
export function parseRateLimits(value: unknown): RateLimit[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error("it must be a list of { path, windowSeconds, count, by }");
  return value.map((each: unknown, index) => {
    const refuse = (reason: string) => new Error(`limit ${index + 1}: ${reason}`);
    if (!isJsonObject(each)) throw refuse("it must be { path, windowSeconds, count, by }");
    const stray = Object.keys(each).find((key) => !KEYS.includes(key));
    if (stray !== undefined) throw refuse(`"${stray}" is not one of ${KEYS.join(", ")}`);
    const { path, methods, by = "ip", includeMasterKey = false } = each;
    if (typeof path !== "string" || !/^(\/(:\w+|[\w.~-]+))*(\/\*)?$/.test(path) || path === "")
      throw refuse("path must be like /login, /functions/:name or /classes/*");
    if (by !== "ip" && by !== "user" && by !== "session" && by !== "all")
      throw refuse("by must be ip, user, session or all");
    if (typeof includeMasterKey !== "boolean") throw refuse("includeMasterKey must be true or false");
    return {
      path,
      methods: methodsOf(methods, refuse),
      windowSeconds: whole(each, "windowSeconds", MAX_SECONDS, refuse),
      count: whole(each, "count", 1_000_000_000, refuse),
      by,
      includeMasterKey,
    };
  });
}

function methodsOf(value: unknown, refuse: (reason: string) => Error): string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.length > 0) {
    const methods = value.filter((each) => typeof each === "string" && METHODS.includes(each));
    if (methods.length === value.length) return methods;
  }
  throw refuse(`methods must be a list of ${METHODS.join(", ")}`);
}

function whole(
  limit: JsonObject,
  key: "windowSeconds" | "count",
  most: number,
  refuse: (reason: string) => Error,
): number {
  const value = limit[key];
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw refuse(`${key} must be a whole number from 1 to ${most}`);
}
