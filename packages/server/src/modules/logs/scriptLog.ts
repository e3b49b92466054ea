import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { ApiRoute } from "../../core/http/apiRoute.ts";
import { jsonObject, routeOf } from "../../core/http/endpoint.ts";
import type { LogBuffer, LogLine } from "../../core/logBuffer.ts";

const WEEK_MS = 7 * 24 * 3_600_000;
const DEFAULT_SIZE = 10;
const MAX_SIZE = 2_000;

const ENDPOINT = {
  method: "GET",
  path: "/scriptlog",
  access: "masterKey",
  heading: "Server",
  summary: "Lines of the log",
  schemas: () => ({
    query: z.object({
      level: z.enum(["info", "error", "verbose"]).optional().describe("verbose: all lines"),
      from: z.string().optional().describe("ISO 8601; a week ago by default"),
      until: z.string().optional().describe("ISO 8601"),
      size: z.int().optional().describe("10 by default"),
      order: z.enum(["asc", "desc"]).optional(),
    }),
    response: z.array(jsonObject()),
  }),
} as const;

/**
 * The last lines of the log, the latest first by default, as requested by Parse Dashboard: `size` may also be `n`, and
 * times may be those of the SDKs. Throws 102 for invalid parameters.
 */
export function scriptLogRoute(logBuffer: Pick<LogBuffer, "lines">): ApiRoute {
  return routeOf(ENDPOINT, async ({ params }) => {
    const { level = "info", order = "desc", from, until, size, n } = params;
    if (level !== "info" && level !== "error" && level !== "verbose")
      throw invalidQuery('level must be "info", "error" or "verbose"');
    if (order !== "asc" && order !== "desc") throw invalidQuery('order must be "asc" or "desc"');
    const now = Date.now();
    const [first, last] = [timeOf("from", from, now - WEEK_MS), timeOf("until", until, now)];
    const limit = Number(n ?? size ?? DEFAULT_SIZE);
    if (!(limit >= 0)) throw invalidQuery("size must be a number");
    const lines = logBuffer.lines({ level: level === "verbose" ? "debug" : level }).filter(({ time }) => {
      const at = Date.parse(time);
      return at >= first && at <= last;
    });
    if (order === "desc") lines.reverse();
    return lines.slice(0, Math.min(limit, MAX_SIZE)).map(entryOf);
  });
}

function entryOf({ time, level, message, fields }: LogLine): JsonObject {
  return { ...fields, timestamp: time, level, message };
}

function timeOf(name: string, value: unknown, defaultTime: number): number {
  if (value === undefined || value === "") return defaultTime;
  const text = typeof value === "object" && value !== null && "iso" in value ? value.iso : value;
  const at = Date.parse(String(text));
  if (Number.isNaN(at)) throw invalidQuery(`${name} must be a time, as in 2026-01-01T00:00:00.000Z`);
  return at;
}

function invalidQuery(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}
