import type { JsonObject, JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { Digits, type Expected } from "../../../test/pipelines/caseValues.ts";
import { DOCUMENT, EXPRESSION_CASES, PLAIN_EXPRESSIONS } from "../../../test/pipelines/expressionCases.ts";
import { OPERATOR_NAMES } from "./expressions.ts";
import { compilePipeline } from "./pipeline.ts";
import { toDocument, toResultText } from "./wireDocuments.ts";

/** Evaluates an expression as a field of a projection. Returns the JSON text of the result. */
function evaluate(expression: JsonValue): string {
  const { run } = compilePipeline([{ name: "$project", argument: { _id: 0, value: expression } }]);
  const [result] = run([toDocument(JSON.stringify(DOCUMENT))], () => []);
  if (!result) throw new Error("no result");
  return toResultText(result);
}

function expectResult(expression: JsonValue, expected: Expected): void {
  if (expected instanceof RegExp) {
    expect(() => evaluate(expression)).toThrow(expected);
    return;
  }
  const text = evaluate(expression);
  if (expected instanceof Digits) {
    expect(text).toBe(`{"value":${expected.text}}`);
    return;
  }
  const { value }: JsonObject = JSON.parse(text);
  expect(value).toEqual(expected);
}

const titled = (cases: readonly (readonly [JsonValue, Expected])[]) =>
  cases.map(([expression, expected]) => ({ expression, expected, title: JSON.stringify(expression) }));

describe.each(Object.entries(EXPRESSION_CASES))("%s", (_, cases) => {
  it.each(titled(cases))("returns what MongoDB defines for $title", ({ expression, expected }) => {
    expectResult(expression, expected);
  });
});

describe("an expression without an operator", () => {
  it.each(titled(PLAIN_EXPRESSIONS))(
    "returns what MongoDB defines for $title",
    ({ expression, expected }) => {
      expectResult(expression, expected);
    },
  );
});

it("the table has cases for each operator", () => {
  expect(Object.keys(EXPRESSION_CASES).sort()).toEqual([...OPERATOR_NAMES].sort());
});
