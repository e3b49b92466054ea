import type { FieldType, JsonObject, JsonValue } from "@purse/protocol";
import { z } from "zod";

/*
 * Building blocks of the endpoints' schemas. An empty text counts as missing where it is not a valid value; so does null.
 */

/** No parameters, or an empty response. */
export const nothing = z.object({});

export const text = (max = 2_000) => z.string().min(1).max(max);

/** Number of rows per page, reduced to `max`. */
export const limit = (initial: number, max: number) =>
  z
    .int()
    .nonnegative()
    .overwrite((value) => Math.max(1, Math.min(value, max)))
    .default(initial)
    .describe(`${initial}, at most ${max}`);

/** A non-negative integer, reduced to `max`. */
export const count = (max = Number.MAX_SAFE_INTEGER) =>
  z
    .int()
    .nonnegative()
    .overwrite((value) => Math.min(value, max));

export const flag = z.boolean().default(false);

export const jsonObject = z
  .custom<JsonObject>(isObject, {
    error: ({ input }) => (input === undefined ? "is missing" : "must be an object"),
  })
  .meta({ type: "object" });
export const jsonValue = z.custom<JsonValue>((value) => value !== undefined);
export const fieldType = z.custom<FieldType>(isObject).meta({ type: "object" });

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A row in the format of the Parse protocol. */
export const row = jsonObject.describe("A row");

export const where = jsonObject.optional().describe("Conditions as in queries of the Parse API");
/** Cursor of a paginated list: `next` of the previous page. */
export const after = text().optional().describe("`next` of the previous page");
export const viewAs = text()
  .optional()
  .describe("Id of a user, or `anonymous`: the response is what that user would get");

export const results = <Row extends z.ZodType>(each: Row) => z.object({ results: z.array(each) });

/** A page of rows; `next` is absent on the last page. */
export const page = <Row extends z.ZodType>(each: Row) =>
  z.object({ results: z.array(each), next: z.string().optional() });

/** Parameters of lists of rows of a built-in class, newest first. */
export const newest = { limit: limit(50, 500), after };
