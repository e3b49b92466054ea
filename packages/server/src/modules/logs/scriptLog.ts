import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ApiRoute } from "../../core/http/apiRoute.ts";
import { assertMaster } from "../../core/http/masterKeyAccess.ts";
import type { LogBuffer, LogLine } from "../../core/logBuffer.ts";

const WEEK_MS = 7 * 24 * 3_600_000;
const DEFAULT_SIZE = 10;
const MAX_SIZE = 2_000;

/**
 * `GET /scriptlog`: the last lines of the log, as requested by Parse Dashboard: `level` (error, info, or verbose for all), `from` and
 * `until` (ISO 8601; default: the last week), `size` or `n` (default: 10), `order` (asc or desc; default: desc). Throws
 * 102 for invalid parameters.
 */
export function scriptLogRoute(logBuffer: Pick<LogBuffer, "lines">): ApiRoute {
  return {
    method: "GET",
    path: "/scriptlog",
    async handle(request) {
      assertMaster(request);
      const { level = "info", order = "desc", from, until, size, n } = request.params;
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
    },
  };
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
