import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { count, jsonObject, limit, nothing, results, text } from "./fields.ts";

export const studioLogLine = z
  .object({
    seq: z.int().describe("Increases by one with each line"),
    time: z.string(),
    level: z.string(),
    message: z.string(),
    fields: jsonObject,
  })
  .meta({ id: "StudioLogLine" });
export type StudioLogLine = z.infer<typeof studioLogLine>;

const logFilter = {
  level: text().optional(),
  text: text().optional(),
  requestId: text().optional(),
  after: count().optional().describe("A `seq`"),
};

export const logEndpoints = {
  logs: endpoint("GET", "/logs", {
    needs: "readOnly",
    summary: "Log lines",
    input: z.object({ ...logFilter, limit: limit(500, 2_000) }),
    response: results(studioLogLine),
  }),
  tail: endpoint("GET", "/logs/tail", {
    needs: "readOnly",
    summary: "Events `line` with a log line, starting with the last hundred",
    input: z.object(logFilter),
    response: nothing,
    streams: ["text/event-stream"],
  }),
};
