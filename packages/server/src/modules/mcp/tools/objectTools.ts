import type { JsonObject, JsonValue } from "@purse/protocol";
import { z } from "zod";
import type { RequestContext } from "../../../core/authContext.ts";
import type { Method } from "../../../core/http/apiRoute.ts";
import { operationForbidden } from "../../../core/operationForbidden.ts";
import { assertNoSecrets } from "../removeSecrets.ts";
import { defineTool, type McpTool } from "../tool.ts";
import { className, jsonObject, names, objectId, ownClassName } from "./parameters.ts";

export interface ObjectToolDependencies {
  /** Executes an operation of the Parse API with the permissions and limits of its sender. Rejects with ProtocolError. */
  execute(request: RequestContext, method: Method, path: string, params: JsonObject): Promise<JsonValue>;
}

const keys = names("Fields to return; all by default");
const include = names("Pointers to return with their objects");
const where = jsonObject
  .optional()
  .describe('Conditions of the Parse REST API, such as {"score": {"$gte": 10}}; all objects by default');

/** Tools that read and change objects. */
export function objectTools({ execute }: ObjectToolDependencies): McpTool[] {
  return [
    defineTool({
      name: "get_object",
      title: "Get object",
      description: "Returns an object of a class.",
      input: z.object({ className, objectId, keys, include }),
      target: (args) => `${args.className}/${args.objectId}`,
      run: (args, { request }) => execute(request, "GET", pathOf(args), selection(args)),
    }),
    defineTool({
      name: "query_objects",
      title: "Query objects",
      description: "Returns objects of a class that match conditions, or their number.",
      input: z.object({
        className,
        where,
        order: z.string().max(500).optional().describe("Fields with commas between them; -field descends"),
        limit: z
          .int()
          .min(0)
          .max(200)
          .default(20)
          .describe("At most 200; 0 with count returns the number only"),
        skip: z.int().min(0).max(10_000).default(0),
        count: z.boolean().default(false).describe("Whether to return the number of matching objects"),
        keys,
        include,
      }),
      target: (args) => args.className,
      async run({ where: conditions = {}, order, limit, skip, count, ...args }, { request }) {
        assertNoSecrets([conditions, order ?? ""]);
        return execute(request, "GET", `/classes/${args.className}`, {
          where: conditions,
          limit,
          skip,
          ...(order !== undefined && { order }),
          ...(count && { count: 1 }),
          ...selection(args),
        });
      },
    }),
    defineTool({
      name: "aggregate_objects",
      title: "Aggregate objects",
      description:
        "Runs an aggregation pipeline over a class: $match, $group, $sort, $project, $limit, $count, …",
      isForOperators: true,
      input: z.object({
        className: ownClassName.describe("Name of a class; system classes cannot be aggregated"),
        pipeline: z.array(jsonObject).min(1).max(20).describe("Stages as in MongoDB"),
      }),
      target: (args) => args.className,
      async run({ className: name, pipeline }, { request }) {
        assertNoSecrets(pipeline);
        assertNoSystemClasses(pipeline);
        return execute(request, "GET", `/aggregate/${name}`, { pipeline });
      },
    }),
    defineTool({
      name: "create_object",
      title: "Create object",
      description: "Creates an object of a class and returns its ID.",
      isWrite: true,
      input: z.object({ className: ownClassName, fields: jsonObject }),
      target: (args) => args.className,
      run: ({ className: name, fields }, { request }) => execute(request, "POST", `/classes/${name}`, fields),
    }),
    defineTool({
      name: "update_object",
      title: "Update object",
      description: "Sets fields of an object, or changes them by operations of the Parse REST API.",
      isWrite: true,
      isDestructive: true,
      input: z.object({ className: ownClassName, objectId, fields: jsonObject }),
      target: (args) => `${args.className}/${args.objectId}`,
      run: ({ fields, ...args }, { request }) => execute(request, "PUT", pathOf(args), fields),
    }),
    defineTool({
      name: "delete_object",
      title: "Delete object",
      description: "Deletes an object.",
      isWrite: true,
      isDestructive: true,
      input: z.object({ className: ownClassName, objectId }),
      target: (args) => `${args.className}/${args.objectId}`,
      run: (args, { request }) => execute(request, "DELETE", pathOf(args), {}),
    }),
  ];
}

function pathOf(object: { className: string; objectId: string }): string {
  return `/classes/${object.className}/${encodeURIComponent(object.objectId)}`;
}

function selection(args: { keys?: string[] | undefined; include?: string[] | undefined }): JsonObject {
  return {
    ...(args.keys && { keys: args.keys.join() }),
    ...(args.include && { include: args.include.join() }),
  };
}

/** Throws 119 if a stage reads a system class. */
function assertNoSystemClasses(pipeline: readonly JsonObject[]): void {
  if (/"(?:from|coll|\$?unionWith)":"_/.test(JSON.stringify(pipeline)))
    throw operationForbidden("System classes cannot be aggregated.");
}
