import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { Digits } from "../../../test/pipelines/caseValues.ts";
import { COLLECTIONS } from "../../../test/pipelines/collections.ts";
import { MATCH_CASES, type MatchCase, NULL_ITEM_CASES } from "../../../test/pipelines/matchCases.ts";
import { STAGE_CASES } from "../../../test/pipelines/stageCases.ts";
import { ACCUMULATOR_NAMES } from "./accumulators.ts";
import { OPERATOR_NAMES } from "./expressions.ts";
import { compilePipeline } from "./pipeline.ts";
import { parsePipeline } from "./stage.ts";
import { STAGES } from "./stages.ts";
import { WINDOW_FUNCTION_NAMES } from "./windows.ts";
import { toDocument, toResultText } from "./wireDocuments.ts";

const documentsOf = (className: string) =>
  (COLLECTIONS[className] ?? []).map((object) => toDocument(JSON.stringify(object)));

/** Runs a pipeline over the objects of a class. Returns the JSON texts of the results. */
function run(className: string, pipeline: JsonObject[]): string[] {
  const compiled = compilePipeline(parsePipeline(pipeline));
  return Array.from(compiled.run(documentsOf(className), documentsOf), toResultText);
}

describe("a pipeline returns what MongoDB defines", () => {
  it.each(STAGE_CASES.map((stageCase) => ({ ...stageCase, title: JSON.stringify(stageCase.pipeline) })))(
    "for $about: $title",
    ({ from, pipeline, results, isOrdered }) => {
      if (results instanceof RegExp) {
        expect(() => run(from, pipeline)).toThrow(results);
        return;
      }
      const texts = run(from, pipeline);
      if (results instanceof Digits) {
        expect(texts).toEqual([expect.stringContaining(`"value":${results.text}`)]);
        return;
      }
      const found: unknown[] = texts.map((text) => JSON.parse(text));
      if (!isOrdered) expect(found).toHaveLength(results.length);
      expect(found).toEqual(isOrdered ? results : expect.arrayContaining(results));
    },
  );
});

describe("a match finds what MongoDB defines", () => {
  const expectFound = (className: string, [condition, found]: MatchCase) => {
    const find = () => run(className, [{ $match: condition }, { $project: { _id: 1 } }]);
    if (found instanceof RegExp) expect(find).toThrow(found);
    else expect(find()).toEqual(found.map((objectId) => JSON.stringify({ objectId })));
  };

  it.each(MATCH_CASES.map((each) => ({ each, title: JSON.stringify(each[0]) })))("for $title", ({ each }) => {
    expectFound("Thing", each);
  });

  it.each(NULL_ITEM_CASES.map((each) => ({ each, title: JSON.stringify(each[0]) })))(
    "for null in arrays: $title",
    ({ each }) => {
      expectFound("Sale", each);
    },
  );
});

it("the table has cases for each stage, accumulator and function of a window", () => {
  const about = new Set(STAGE_CASES.map((stageCase) => stageCase.about));
  const all = [...Object.keys(STAGES), ...ACCUMULATOR_NAMES, ...WINDOW_FUNCTION_NAMES];
  expect(all.filter((name) => !about.has(name))).toEqual([]);
});

it("the reference page lists what pipelines have, and nothing else", () => {
  const page = readFileSync(
    join(import.meta.dirname, "../../../../../docs/reference/aggregation.md"),
    "utf8",
  );
  const listed = (row: string): string[] => {
    const line = page.split("\n").find((each) => each.startsWith(`| ${row}`));
    return [...(line ?? "").matchAll(/`(\$[a-zA-Z0-9]+)`/g)].map(([, name = ""]) => name);
  };
  const operators = [
    "Arithmetic",
    "Trigonometry",
    "Logic",
    "Arrays and sets",
    "Objects",
    "Texts",
    "Dates",
    "Types",
    "Accumulators as operators",
  ].flatMap(listed);
  expect(listed("Stages").sort()).toEqual([...Object.keys(STAGES), "$geoNear"].sort());
  expect(operators.sort()).toEqual([...OPERATOR_NAMES].sort());
  const accumulators = listed("Accumulators of `$group`").filter(
    (name) => !Object.hasOwn(STAGES, name) || name === "$count",
  );
  expect(accumulators.sort()).toEqual([...ACCUMULATOR_NAMES].sort());
  expect(listed("Functions of windows").sort()).toEqual([...WINDOW_FUNCTION_NAMES].sort());
});
