import { applyOperations, type JsonObject, type JsonValue, parseOperation } from "@purse/protocol";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { assign } from "./fieldValues.ts";
import { AddOp, IncrementOp, type Op, SetOp, UnsetOp } from "./Op.ts";
import { ParseObject } from "./ParseObject.ts";

const owner = new ParseObject("Note");

/** The fields after an operation as the object shows them before a save. */
function shown(fields: JsonObject, path: string, op: Op): Record<string, unknown> {
  const after: Record<string, unknown> = { ...fields };
  assign(after, path, op, owner);
  for (const key in after) if (after[key] === undefined) delete after[key];
  return after;
}

/** The fields after an operation as the server stores them; undefined if it refuses the operation. */
function stored(fields: JsonObject, path: string, op: Op): JsonObject | undefined {
  try {
    return applyOperations(fields, { [path]: parseOperation(op.toJSON()) });
  } catch {
    return undefined;
  }
}

const values: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, 1, "x"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("k", "0", "1"), tie("value"), { maxKeys: 2 }).map((each) => ({ ...each })),
  ),
})).value;
const operations = fc.oneof(
  values.map((value) => new SetOp(value)),
  fc.constantFrom<Op>(new UnsetOp(), new IncrementOp(2), new AddOp(["y"])),
);
const paths = fc
  .array(fc.constantFrom("0", "1", "2", "5", "k", "x", "-1", "01", "1004"), { minLength: 1, maxLength: 3 })
  .map((keys) => ["a", ...keys].join("."));

it("an object shows after an operation on a path what the server stores", () => {
  const property = fc.property(values, paths, operations, (value, path, op) => {
    const expected = stored({ a: value }, path, op);
    if (expected) expect(shown({ a: value }, path, op)).toEqual(expected);
  });
  fc.assert(property, { seed: 1, numRuns: 2_000 });
});

it("an object shows a list unchanged if the server will refuse the path", () => {
  for (const path of ["a.x", "a.-1", "a.01", "a.999999"]) {
    expect(stored({ a: [1, 2] }, path, new SetOp(3))).toBeUndefined();
    expect(shown({ a: [1, 2] }, path, new SetOp(3))).toEqual({ a: [1, 2] });
  }
});
