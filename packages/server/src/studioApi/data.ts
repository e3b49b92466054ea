import { DELIMITERS, type JsonObject } from "@purse/protocol";
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import {
  after,
  count,
  flag,
  jsonObject,
  jsonValue,
  limit,
  nothing,
  page,
  row,
  text,
  viewAs,
  where,
} from "./fields.ts";

export const studioCount = z
  .object({
    count: z.int(),
    isCapped: z.boolean().describe("Whether there are more rows than were counted"),
  })
  .meta({ id: "StudioCount" });
export type StudioCount = z.infer<typeof studioCount>;

export const studioBulkResult = z
  .object({
    matched: z.int(),
    changed: z.int(),
    failed: z.array(z.object({ objectId: z.string(), code: z.int(), error: z.string() })),
  })
  .meta({ id: "StudioBulkResult" });
export type StudioBulkResult = z.infer<typeof studioBulkResult>;

export const studioImportResult = z
  .object({
    imported: z.int(),
    failed: z.int(),
    failedRows: z
      .array(z.int())
      .describe("Numbers of the first 100 rejected rows, from 1, without the header"),
    reasons: z.array(z.string()).describe("Why they were rejected, in the same order"),
    errorFile: z
      .string()
      .describe(
        "The rejected rows with reasons, as a file (CSV or JSON lines) that can be corrected and imported again",
      ),
  })
  .meta({ id: "StudioImportResult" });
export type StudioImportResult = z.infer<typeof studioImportResult>;

export const studioExplain = z
  .object({
    plan: jsonValue,
    suggestedIndex: z
      .object({ name: z.string(), fields: z.record(z.string(), z.union([z.literal(1), z.literal(-1)])) })
      .optional()
      .describe(
        "An index that would speed up the query, in the format of `/schemas`; absent if one exists or nothing can be indexed",
      ),
  })
  .meta({ id: "StudioExplain" });
export type StudioExplain = z.infer<typeof studioExplain>;

export const studioChart = z
  .object({
    points: z
      .array(
        z.object({
          key: z
            .union([z.string(), z.number(), z.boolean(), z.null()])
            .describe("The value that the rows share; of dates the beginning in ISO format, in UTC"),
          value: z.number().nullable().describe("null if no row has a number"),
        }),
      )
      .describe("Times in order, other groups by descending value"),
    isCapped: z.boolean().describe("Whether there are more groups"),
  })
  .meta({ id: "StudioChart" });
export type StudioChart = z.infer<typeof studioChart>;

export interface StudioPage<Row> {
  results: Row[];
  /** Cursor for `after` of the next request; absent on the last page. */
  next?: string;
}

/** Events of `/data/:className/live`, by `event:` name. `object` is the row; for delete, its last state. */
export interface StudioLiveEvent {
  event: "create" | "update" | "enter" | "leave" | "delete";
  object: JsonObject;
}

export const CHART_FUNCTIONS = ["count", "sum", "avg", "min", "max"] as const;
export const CHART_INTERVALS = ["hour", "day", "month", "year"] as const;

const order = text().optional().describe("Field names, comma separated; `-` for descending");
const keys = text(10_000).optional().describe("Names of fields, comma separated");
const include = text().optional().describe("Pointers to include, comma separated");
const fields = jsonObject.describe('As in the Parse protocol, including `{"__op": …}`');

export const dataEndpoints = {
  list: endpoint("GET", "/data/:className", {
    needs: "readOnly",
    summary: "Rows, without a count",
    input: z.object({ where, order, keys, include, limit: limit(100, 1_000), after, as: viewAs }),
    response: page(row),
  }),
  count: endpoint("GET", "/data/:className/count", {
    needs: "readOnly",
    summary: "Counts rows up to `cap`, or exactly",
    input: z.object({ where, cap: limit(1_000, 10_000), exact: flag, as: viewAs }),
    response: studioCount,
  }),
  explain: endpoint("GET", "/data/:className/explain", {
    needs: "readOnly",
    summary: "The plan of a query",
    input: z.object({ where, order }),
    response: studioExplain,
  }),
  chart: endpoint("GET", "/data/:className/chart", {
    needs: "readOnly",
    summary: "Aggregates rows by time or by the values of a field, for charts",
    input: z.object({
      where,
      fn: z.enum(CHART_FUNCTIONS).default("count"),
      field: text().optional().describe("The field with the numbers, except for `count`"),
      by: text()
        .default("createdAt")
        .describe("A date, or a field of type String, Number, Boolean or Pointer"),
      interval: z.enum(CHART_INTERVALS).default("day").describe("Only if `by` is a date"),
      limit: limit(100, 1_000).describe("Maximum number of points: the last times, or the highest values"),
    }),
    response: studioChart,
  }),
  live: endpoint("GET", "/data/:className/live", {
    needs: "readOnly",
    summary:
      "Events `connected`, `create`, `update`, `enter`, `leave`, `delete` with the row as `object`; `refetch` if some may have been missed",
    input: z.object({ where }),
    response: nothing,
    streams: ["text/event-stream"],
  }),
  export: endpoint("GET", "/data/:className/export", {
    needs: "readOnly",
    summary: "All matching rows as a file",
    input: z.object({ format: z.enum(["csv", "json", "jsonl"]).default("csv"), where, keys, as: viewAs }),
    response: nothing,
    streams: ["text/csv", "application/json", "application/jsonl"],
  }),
  import: endpoint("POST", "/data/:className/import", {
    needs: "editor",
    summary: "Imports rows",
    preview: "dryRun",
    input: z.object({
      format: z.enum(["csv", "json"]),
      text: text(Number.MAX_SAFE_INTEGER),
      delimiter: z.enum(DELIMITERS).optional().describe("Of CSV; without it, it is detected"),
      decimal: z.enum([".", ","]).default(".").describe("The decimal separator in CSV"),
      mapping: jsonObject.optional().describe("Fields by column; null skips a column"),
      keepIds: flag,
      dryRun: flag.describe("Validates types and writes nothing; triggers may still reject a row"),
    }),
    response: studioImportResult,
  }),
  get: endpoint("GET", "/data/:className/rows/:objectId", {
    needs: "readOnly",
    summary: "One row",
    input: z.object({ include, as: viewAs }),
    response: row,
  }),
  create: endpoint("POST", "/data/:className/rows", {
    needs: "editor",
    summary: "Creates a row",
    input: z.object({ fields }),
    response: row,
    status: 201,
  }),
  update: endpoint("PUT", "/data/:className/rows/:objectId", {
    needs: "editor",
    summary: "Changes a row; 409 with `current` if it was changed after `expectedUpdatedAt`",
    input: z.object({ fields, expectedUpdatedAt: text().optional() }),
    response: row,
  }),
  remove: endpoint("DELETE", "/data/:className/rows/:objectId", {
    needs: "editor",
    summary: "Deletes a row",
    input: nothing,
    response: nothing,
  }),
  bulk: endpoint("POST", "/data/:className/bulk", {
    needs: "editor",
    summary:
      "Changes or deletes rows by `ids`, `where` or both (intersection); 409 if their number has changed",
    preview: "dryRun",
    input: z.object({
      action: z.enum(["update", "delete"]),
      where,
      ids: z.array(z.string()).optional(),
      fields: fields.optional().describe("Required for `update`"),
      dryRun: flag.describe("Counts the rows and changes nothing"),
      expectedCount: count().optional(),
    }),
    response: studioBulkResult,
  }),
};
