import type { JsonObject } from "@purse/protocol";
import { expect, it } from "vitest";
import { completionsOf, matching, operationOf } from "./completions.ts";

const DOCUMENT: JsonObject = {
  paths: {
    "/classes/{className}": {
      get: { summary: "Finds objects", parameters: [{ name: "where", in: "query" }, { $ref: "#/x" }] },
      post: { summary: "Creates an object" },
    },
    "/classes/{className}/{objectId}": { delete: { summary: "Deletes an object" } },
    "/functions/{functionName}": { post: { summary: "Calls a function" } },
    "/health": { get: { summary: "Health" } },
  },
};
const completions = completionsOf(DOCUMENT, { classes: ["Note", "Order"], functions: ["greet"] });

it("completionsOf() lists the paths of classes and functions", () => {
  expect(completions.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /classes/Note",
    "GET /classes/Order",
    "POST /classes/Note",
    "POST /classes/Order",
    "DELETE /classes/Note/{objectId}",
    "DELETE /classes/Order/{objectId}",
    "POST /functions/greet",
    "GET /health",
  ]);
  expect(completions[0]).toMatchObject({ summary: "Finds objects", query: ["where"] });
});

it("matching() returns the paths that start with the input, without its query string", () => {
  expect(matching(completions, "GET", "/classes/N?limit=1").map(({ path }) => path)).toEqual([
    "/classes/Note",
  ]);
  expect(matching(completions, "POST", "/f").map(({ path }) => path)).toEqual(["/functions/greet"]);
});

it("operationOf() finds the operation of a path with parameter values", () => {
  expect(operationOf(completions, "DELETE", "/classes/Note/abc")?.summary).toBe("Deletes an object");
  expect(operationOf(completions, "DELETE", "/classes/Note/")).toBeUndefined();
  expect(operationOf(completions, "GET", "/unknown")).toBeUndefined();
});
