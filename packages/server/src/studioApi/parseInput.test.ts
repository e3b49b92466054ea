import { describe, expect, it } from "vitest";
import { z } from "zod";
import { flag, jsonObject, jsonValue, limit, text } from "./fields.ts";
import { parseInput } from "./parseInput.ts";

const schema = z.object({
  name: text(5).optional(),
  limit: limit(50, 500),
  exact: flag,
  where: jsonObject.optional(),
  format: z.enum(["csv", "json"]).default("csv"),
  value: jsonValue.optional(),
});
const DEFAULTS = { limit: 50, exact: false, format: "csv" };

describe("parseInput", () => {
  it("decodes the texts of a query string by the type of each parameter", () => {
    const params = { name: "5", limit: "7", exact: "1", where: '{"a":1}', format: "json", value: "true" };
    expect(parseInput(schema, params)).toEqual({
      name: "5",
      limit: 7,
      exact: true,
      where: { a: 1 },
      format: "json",
      value: "true",
    });
  });

  it("accepts typed values of a JSON body, and ignores unknown parameters", () => {
    const params = { limit: 3, exact: true, where: { a: null }, value: null, unknown: 1 };
    expect(parseInput(schema, params)).toEqual({
      limit: 3,
      exact: true,
      where: { a: null },
      format: "csv",
      value: null,
    });
  });

  it("treats an empty string and null as missing if they are not valid", () => {
    const empty = { name: "", limit: "", exact: null, where: "", format: "" };
    expect(parseInput(schema, empty)).toEqual(DEFAULTS);
    const password = z.object({ password: z.string().optional() });
    expect(parseInput(password, { password: "" })).toEqual({ password: "" });
  });

  it("reduces a limit to its maximum, and raises it to 1", () => {
    expect(parseInput(schema, { limit: 9_999 }).limit).toBe(500);
    expect(parseInput(schema, { limit: 0 }).limit).toBe(1);
  });

  it.each([
    [{ name: "too long" }, "name must be a string of at most 5 characters"],
    [{ name: 5 }, "name must be a string"],
    [{ limit: -1 }, "limit must be a non-negative integer"],
    [{ limit: "many" }, "limit must be a non-negative integer"],
    [{ exact: "yes" }, "exact must be true or false"],
    [{ where: [] }, "where must be an object"],
    [{ where: "{" }, "where must be JSON"],
    [{ format: "xml" }, "format must be csv or json"],
  ])("rejects %j with 102: %s", (params, message) => {
    expect(() => parseInput(schema, params)).toThrow(expect.objectContaining({ code: 102, message }));
  });

  it("rejects lists with too few or too many items by their number", () => {
    const lists = z.object({ chainIds: z.array(z.string()).min(1).max(2) });
    expect(() => parseInput(lists, { chainIds: [] })).toThrow("chainIds must be a list of at least 1 item");
    expect(() => parseInput(lists, { chainIds: ["1", "2", "3"] })).toThrow(
      "chainIds must be a list of at most 2 items",
    );
  });

  it("names a missing parameter, also within another one", () => {
    const missing = (message: string) => expect.objectContaining({ code: 102, message });
    const template = z.object({ edit: jsonObject, template: z.object({ subject: text() }) });
    expect(() => parseInput(template, {})).toThrow(missing("edit is missing"));
    expect(() => parseInput(template, { edit: {} })).toThrow(missing("template is missing"));
    expect(() => parseInput(template, { edit: {}, template: { subject: "" } })).toThrow(
      missing("template.subject is missing"),
    );
  });
});
