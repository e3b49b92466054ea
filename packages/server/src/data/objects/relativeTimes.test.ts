import type { JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { assertRelativeTimes } from "./relativeTimes.ts";

const schema = classWith(
  {},
  { fields: { due: { type: "Date" }, title: { type: "String" }, toString: { type: "String" as const } } },
);
const SOON = { $lt: { $relativeTime: "in 2 hours" } };

describe("a condition with $relativeTime", () => {
  it.each<[JsonValue | undefined]>([
    [{ due: SOON }],
    [{ createdAt: SOON }],
    [{ unknown: SOON }],
    [{ $or: [{ due: SOON }] }],
  ])("is accepted in %j", (where) => {
    expect(() => assertRelativeTimes(where, schema)).not.toThrow();
  });

  it.each<[JsonValue | undefined]>([
    [{ title: SOON }],
    [{ toString: SOON }],
    [{ objectId: SOON }],
    [{ $and: [{ due: SOON }, { $nor: [{ title: SOON }] }] }],
  ])("is rejected with 107 in %j", (where) => {
    expect(() => assertRelativeTimes(where, schema)).toThrow(
      expect.objectContaining({ code: 107, message: "$relativeTime can only be used with Date field" }),
    );
  });

  it.each<[JsonValue | undefined]>([[undefined], [[]], [{ title: "text" }], [{ $or: "no list" }]])(
    "is not looked for in %j, which is left to the parser",
    (where) => {
      expect(() => assertRelativeTimes(where, schema)).not.toThrow();
    },
  );
});
