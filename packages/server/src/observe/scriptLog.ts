import { ErrorCode, type JsonObject, ProtocolError, type StudioLogLine } from "@purse/protocol";
import type { ApiRoute } from "../http/api.ts";
import { assertMaster } from "../http/rights.ts";
import type { RecentLog } from "./recentLog.ts";

const WEEK_MS = 7 * 24 * 3_600_000;
const DEFAULT_SIZE = 10;
const MAX_SIZE = 2_000;

/**
 * `GET /scriptlog`: the last lines of the log, as Parse Dashboard asks for them: `level` (info or error), `from` and
 * `until` (ISO 8601; the last week), `size` or `n` (10), `order` (asc or desc, desc). Throws 102 for anything else.
 */
export function scriptLogRoute(recentLog: Pick<RecentLog, "lines">): ApiRoute {
  return {
    method: "GET",
    path: "/scriptlog",
    async handle(request) {
      assertMaster(request);
      const { level = "info", order = "desc", from, until, size, n } = request.params;
      if (level !== "info" && level !== "error") throw bad('level must be "info" or "error"');
      if (order !== "asc" && order !== "desc") throw bad('order must be "asc" or "desc"');
      const now = Date.now();
      const [first, last] = [timeOf("from", from, now - WEEK_MS), timeOf("until", until, now)];
      const most = Number(n ?? size ?? DEFAULT_SIZE);
      if (!(most >= 0)) throw bad("size must be a number");
      const lines = recentLog.lines({ level }).filter(({ time }) => {
        const at = Date.parse(time);
        return at >= first && at <= last;
      });
      if (order === "desc") lines.reverse();
      return lines.slice(0, Math.min(most, MAX_SIZE)).map(entryOf);
    },
  };
}

function entryOf({ time, level, message, fields }: StudioLogLine): JsonObject {
  return { ...fields, timestamp: time, level, message };
}

function timeOf(name: string, value: unknown, otherwise: number): number {
  if (value === undefined || value === "") return otherwise;
  const text = typeof value === "object" && value !== null && "iso" in value ? value.iso : value;
  const at = Date.parse(String(text));
  if (Number.isNaN(at)) throw bad(`${name} must be a time, as in 2026-01-01T00:00:00.000Z`);
  return at;
}

function bad(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}
