import { expect, it } from "vitest";
import { mergeDefinitions } from "./mergeDefinitions.ts";
import { NO_DEFINITIONS } from "./workerMessages.ts";

it("mergeDefinitions() adds what only another thread has defined, and repeats nothing", () => {
  const loaded = { ...NO_DEFINITIONS, functions: ["a"], watches: [{ tableName: "T" }] };
  const later = { ...loaded, functions: ["a", "b"], triggers: ["beforeSave.Note"] };
  expect(mergeDefinitions([loaded, later])).toEqual({
    ...NO_DEFINITIONS,
    functions: ["a", "b"],
    triggers: ["beforeSave.Note"],
    watches: [{ tableName: "T" }],
  });
});
