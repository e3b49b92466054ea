import { z } from "zod";
import { jsonObject, nothing, type ParseEndpoint } from "./row.ts";

export const object = z
  .looseObject({
    objectId: z.string().optional(),
    createdAt: z.string().optional(),
    updatedAt: z.string().optional(),
    ACL: jsonObject.optional(),
  })
  .describe("An object with the fields of its class")
  .meta({ id: "Object" });
export const fields = jsonObject.describe('Fields, or operations such as `{"__op":"Increment","amount":1}`');
export const created = z
  .looseObject({ objectId: z.string(), createdAt: z.string() })
  .describe("The id of the new object, and fields that the server has set")
  .meta({ id: "Created" });
export const updated = z
  .looseObject({ updatedAt: z.string() })
  .describe("Fields that the server has changed")
  .meta({ id: "Updated" });
const found = z.object({
  results: z.array(object),
  count: z.int().optional().describe("If `count` is set"),
});

const names = z.string().optional();
const readOptions = z.object({
  keys: names.describe("Fields to return, comma separated"),
  excludeKeys: names.describe("Fields not to return, comma separated"),
  include: names.describe("Pointers to include, comma separated"),
  includeAll: z.boolean().optional().describe("Includes all pointers"),
  readPreference: z.string().optional(),
});
const findOptions = readOptions.extend({
  where: jsonObject.optional().describe("Conditions"),
  order: names.describe("Fields to sort by, comma separated; `-` for descending"),
  limit: z.int().nonnegative().optional().describe("100 by default"),
  skip: z.int().nonnegative().optional(),
  count: z.int().optional().describe("1 to also count all matching objects"),
  explain: z.boolean().optional().describe("Returns the plan instead of objects"),
});

export const NOT_FOUND = { 404: "The object does not exist, or the caller may not read it (101)" };

/** The five routes of the objects of a class. */
export function objectEndpoints(path: string, noun: string, plural: string): ParseEndpoint[] {
  return [
    {
      method: "GET",
      path,
      access: "everyone",
      summary: `Find ${plural}`,
      query: findOptions,
      response: found,
    },
    {
      method: "POST",
      path,
      access: "everyone",
      summary: `Create ${noun}`,
      body: fields,
      response: created,
      status: 201,
    },
    {
      method: "GET",
      path: `${path}/:objectId`,
      access: "everyone",
      summary: `Read ${noun}`,
      query: readOptions,
      response: object,
      errors: NOT_FOUND,
    },
    {
      method: "PUT",
      path: `${path}/:objectId`,
      access: "everyone",
      summary: `Update ${noun}`,
      body: fields,
      response: updated,
      errors: NOT_FOUND,
    },
    {
      method: "DELETE",
      path: `${path}/:objectId`,
      access: "everyone",
      summary: `Delete ${noun}`,
      response: nothing,
      errors: NOT_FOUND,
    },
  ];
}
