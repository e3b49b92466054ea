import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { fieldType, jsonObject, nothing, results } from "./fields.ts";

export const studioClass = z
  .object({
    className: z.string(),
    fields: z.record(z.string(), fieldType),
    classLevelPermissions: jsonObject,
    indexes: z
      .record(z.string(), z.record(z.string(), z.union([z.literal(1), z.literal(-1), z.literal("text")])))
      .optional(),
    isInternal: z
      .boolean()
      .optional()
      .describe("In the list of all classes: whether clients have no access, whatever the permissions say"),
    ownsNewObjects: z
      .boolean()
      .optional()
      .describe(
        "In the list of all classes: whether objects that clients create without an ACL belong to them",
      ),
  })
  .describe("A class in the format of `/schemas` of the Parse API")
  .meta({ id: "StudioClass" });
export type StudioClass = z.infer<typeof studioClass>;

export const studioSchemaPreview = z
  .object({
    lines: z.array(z.string()).describe("Human-readable, one change per line: `+ Game.score Number`"),
    classLevelPermissions: jsonObject.describe("The permissions after the change"),
    ownsNewObjects: z.boolean().describe("Whether objects that clients create without an ACL belong to them"),
    code: z.string().describe("The class as an entry of `schemas` in purse.config.ts"),
  })
  .meta({ id: "StudioSchemaPreview" });
export type StudioSchemaPreview = z.infer<typeof studioSchemaPreview>;

const edit = z.object({
  edit: jsonObject.describe(
    '`{ fields?, indexes?, access? or classLevelPermissions? }` in the format of `/schemas`; `{"__op":"Delete"}` deletes',
  ),
});

export const schemaEndpoints = {
  list: endpoint("GET", "/schema", {
    needs: "readOnly",
    summary: "All classes",
    input: nothing,
    response: results(studioClass),
  }),
  code: endpoint("GET", "/schema/code", {
    needs: "readOnly",
    summary: "The classes as `schemas` of purse.config.ts, and as TypeScript types",
    input: nothing,
    response: z.object({ code: z.string(), types: z.string() }),
  }),
  get: endpoint("GET", "/schema/classes/:className", {
    needs: "readOnly",
    summary: "One class",
    input: nothing,
    response: studioClass,
  }),
  create: endpoint("POST", "/schema/classes/:className", {
    needs: "editor",
    summary: "Creates a class",
    input: edit,
    response: studioClass,
    status: 201,
  }),
  update: endpoint("PUT", "/schema/classes/:className", {
    needs: "editor",
    summary: "Changes a class",
    input: edit,
    response: studioClass,
  }),
  remove: endpoint("DELETE", "/schema/classes/:className", {
    needs: "owner",
    summary: "Deletes an empty class",
    input: nothing,
    response: nothing,
  }),
  preview: endpoint("POST", "/schema/classes/:className/preview", {
    needs: "editor",
    summary: "Previews a change without applying it",
    preview: "always",
    input: edit,
    response: studioSchemaPreview,
  }),
  purge: endpoint("DELETE", "/schema/classes/:className/rows", {
    needs: "owner",
    summary: "Deletes all rows",
    input: nothing,
    response: nothing,
  }),
};
