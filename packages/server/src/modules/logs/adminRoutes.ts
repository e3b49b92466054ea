import { matchesFilter } from "../../core/logBuffer.ts";
import type { LogLines } from "../../module/tokens.ts";
import { eventStream } from "../../studio/eventStream.ts";
import { type Requests, route, type StudioRoute } from "../../studio/route.ts";
import { logEndpoints as endpoints } from "../../studioApi/logs.ts";

/** Routes of the admin API for the lines of the log. */
export function logAdminRoutes(logLines: LogLines): StudioRoute[] {
  return [
    route(endpoints.logs, async ({ params: { limit, ...filter } }) => ({
      results: logLines.lines(filter).slice(-limit),
    })),
    route(endpoints.tail, tail),
  ];

  async function tail(request: Requests<typeof endpoints>["tail"]) {
    const filter = request.params;
    return eventStream(request, (send) => {
      for (const line of logLines.lines(filter).slice(-100)) send("line", line);
      return logLines.onLine((line) => {
        if (matchesFilter(line, filter)) send("line", line);
      });
    });
  }
}
