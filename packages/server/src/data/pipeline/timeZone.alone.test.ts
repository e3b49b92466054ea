import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DOCUMENT, EXPRESSION_CASES } from "../../../test/pipelines/expressionCases.ts";
import { compilePipeline } from "./pipeline.ts";
import { toDocument, toResultText } from "./wireDocuments.ts";

const original = process.env.TZ;
beforeAll(() => {
  process.env.TZ = "America/New_York";
});
afterAll(() => {
  if (original === undefined) delete process.env.TZ;
  else process.env.TZ = original;
});

it("pipelines return the same dates whichever time zone the process has", () => {
  expect(new Date(2024, 0, 1).getTimezoneOffset()).toBe(300);
  const dates = Object.entries(EXPRESSION_CASES)
    .filter(([name]) => /^\$(?:.*date|.*[wW]eek|day|month|year|hour|minute|toString)/i.test(name))
    .flatMap(([, cases]) => cases)
    .filter(([, expected]) => !(expected instanceof RegExp));
  expect(dates.length).toBeGreaterThan(100);
  const fields = Object.fromEntries(dates.map(([expression], i) => [`value${i}`, expression]));
  const [result] = compilePipeline([{ name: "$project", argument: { _id: 0, ...fields } }]).run(
    [toDocument(JSON.stringify(DOCUMENT))],
    () => [],
  );
  const values: JsonObject = result ? JSON.parse(toResultText(result)) : {};
  for (const [i, [expression, expected]] of dates.entries()) {
    expect(values[`value${i}`], JSON.stringify(expression)).toEqual(expected);
  }
});
