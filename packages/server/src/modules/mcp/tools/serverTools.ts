import { ErrorCode, isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import { defineTool, type McpTool } from "../tool.ts";
import type { ObjectToolDependencies } from "./objectTools.ts";
import { className } from "./parameters.ts";

/** Fields that every class has. */
const COMMON_FIELDS = ["objectId", "createdAt", "updatedAt", "ACL"];

/** Tools that describe the classes and read the log. */
export function serverTools({ execute }: ObjectToolDependencies): McpTool[] {
  return [
    defineTool({
      name: "get_schema",
      title: "Get schema",
      description:
        "Returns the classes with their fields. Operators see permissions and indexes too; others see what they may read.",
      input: z.object({ className: className.optional().describe("A class; all classes by default") }),
      target: (args) => args.className ?? "",
      async run({ className: name }, { kind, request }) {
        const reply = await execute(request, "GET", kind === "operator" ? "/schemas" : "/classes", {});
        const classes = isJsonObject(reply) && Array.isArray(reply.results) ? reply.results : [];
        const found = classes.filter(
          (each) => name === undefined || (isJsonObject(each) && each.className === name),
        );
        if (name !== undefined && found.length === 0)
          throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `Class ${name} does not exist.`);
        return { classes: name === undefined ? found.map(summarize) : found };
      },
    }),
    defineTool({
      name: "read_logs",
      title: "Read logs",
      description: "Returns the last lines of the server's log, newest first.",
      isForOperators: true,
      input: z.object({
        level: z.enum(["error", "info", "verbose"]).default("info"),
        from: z.iso.datetime({ offset: true }).optional().describe("Time of the first line"),
        until: z.iso.datetime({ offset: true }).optional().describe("Time of the last line"),
        limit: z.int().min(1).max(200).default(50),
      }),
      target: (args) => args.level,
      run: ({ level, from, until, limit: size }, { request }) =>
        execute(request, "GET", "/scriptlog", {
          level,
          size,
          ...(from && { from }),
          ...(until && { until }),
        }),
    }),
  ];
}

/** A class in a list: its own fields with their types. */
function summarize(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema) || !isJsonObject(schema.fields)) return schema;
  const fields = Object.entries(schema.fields).filter(([name]) => !COMMON_FIELDS.includes(name));
  return { className: schema.className ?? "", fields: Object.fromEntries(fields) };
}
