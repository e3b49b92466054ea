import { z } from "zod";
import type { EndpointSchemas, ParseAccess, ParseEndpoint } from "./apiRoute.ts";
import { jsonObject, nothing } from "./endpoint.ts";

export const objectResponse = () =>
  z
    .looseObject({
      objectId: z.string().optional(),
      createdAt: z.string().optional(),
      updatedAt: z.string().optional(),
      ACL: jsonObject().optional(),
    })
    .describe("An object with the fields of its class")
    .meta({ id: "Object" });
export const objectFields = () =>
  jsonObject().describe('Fields, or operations such as `{"__op":"Increment","amount":1}`');
export const created = () =>
  z
    .looseObject({ objectId: z.string(), createdAt: z.string() })
    .describe("The id of the new object, and fields that the server has set")
    .meta({ id: "Created" });
export const updated = () =>
  z
    .looseObject({ updatedAt: z.string() })
    .describe("Fields that the server has changed")
    .meta({ id: "Updated" });

const names = () => z.string().optional();
const readOptions = () =>
  z.object({
    keys: names().describe("Fields to return, comma separated"),
    excludeKeys: names().describe("Fields not to return, comma separated"),
    include: names().describe("Pointers to include, comma separated"),
    includeAll: z.boolean().optional().describe("Includes all pointers"),
    readPreference: z.string().optional(),
  });
const found = (): EndpointSchemas => ({
  query: readOptions().extend({
    where: jsonObject().optional().describe("Conditions"),
    order: names().describe("Fields to sort by, comma separated; `-` for descending"),
    limit: z.int().nonnegative().optional().describe("100 by default"),
    skip: z.int().nonnegative().optional(),
    count: z.int().optional().describe("1 to return the number of matching objects, too"),
    explain: z.boolean().optional().describe("Returns the plan instead of objects"),
  }),
  response: z.object({
    results: z.array(objectResponse()),
    count: z.int().optional().describe("If `count` is set"),
  }),
});

export const NOT_FOUND = { 404: "The object does not exist, or the caller may not read it (101)" };

/** The endpoints of the objects of a class. The classes, permissions and the database decide what is valid. */
export function objectEndpoints<Access extends ParseAccess>(
  path: string,
  noun: string,
  plural: string,
  access: Access,
) {
  const one = { path: `${path}/:objectId`, access, errors: NOT_FOUND } as const;
  return {
    find: { method: "GET", path, access, summary: `Find ${plural}`, schemas: found },
    create: {
      method: "POST",
      path,
      access,
      summary: `Create ${noun}`,
      schemas: () => ({ body: objectFields(), response: created() }),
      status: 201,
      retry: "write",
    },
    get: {
      ...one,
      method: "GET",
      summary: `Read ${noun}`,
      schemas: () => ({ query: readOptions(), response: objectResponse() }),
    },
    update: {
      ...one,
      method: "PUT",
      summary: `Update ${noun}`,
      schemas: () => ({ body: objectFields(), response: updated() }),
      retry: "write",
    },
    remove: { ...one, method: "DELETE", summary: `Delete ${noun}`, schemas: nothing },
  } as const satisfies Record<string, ParseEndpoint>;
}
