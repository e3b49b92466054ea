import { expect, it } from "vitest";
import { ValueSet } from "./valueSet.ts";
import { type JsonValue, jsonEqual } from "./wireValues.ts";

const VALUES: readonly JsonValue[] = [
  ...[0, -0, 1, "1", "", "a", "null", null, true, "true", false],
  ...['{"a":1}', '"a"', "[1]", '*["C","x"]'],
  ...[[], [1], [[1]], {}, { a: 1 }, { a: 1, b: [2] }, { b: [2], a: 1 }],
  { __type: "Pointer", className: "C", objectId: "x" },
  { objectId: "x", className: "C", __type: "Pointer" },
];

it("ValueSet has a value exactly if it equals one that was added", () => {
  for (const added of VALUES) {
    const set = new ValueSet([added]);
    for (const value of VALUES) {
      const isEqual = jsonEqual(added, value);
      expect(set.has(value), JSON.stringify([added, value])).toBe(isEqual);
      expect(new ValueSet([added]).add(value), JSON.stringify([added, value])).toBe(!isEqual);
    }
  }
});
