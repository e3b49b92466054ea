import { describe, expect, it } from "vitest";
import { parseOperation } from "./operations.ts";
import { parseWhere } from "./where.ts";
import { canonicalDates } from "./wireDates.ts";
import type { JsonObject, JsonValue } from "./wireValues.ts";

const date = (iso: JsonValue): JsonObject => ({ __type: "Date", iso });
const NOON = "2024-02-29T12:00:00.000Z";
const NO_DATES: JsonValue[] = [
  ...["2024-02-30T00:00:00.000Z", "12", "2024", "", "tomorrow", "02/03/2024", 5, null, {}, [], true],
];

describe("canonicalDates()", () => {
  it("returns values without other dates as they are", () => {
    for (const value of ["x", null, 1, [1, { a: [date(NOON)] }], { at: date(NOON), text: "2024-02-30" }]) {
      expect(canonicalDates(value, "f")).toBe(value);
    }
  });

  it("writes dates in UTC with milliseconds, at any depth, and leaves the original as it was", () => {
    const value = {
      list: [date("2024-02-29T13:00:00+01:00"), 1],
      at: { noon: date("2024-02-29T12:00") },
      n: 1,
    };
    const before = JSON.parse(JSON.stringify(value));
    expect(canonicalDates(value, "f")).toEqual({ list: [date(NOON), 1], at: { noon: date(NOON) }, n: 1 });
    expect(value).toEqual(before);
  });

  it("names the field of a date that does not exist", () => {
    const value = { a: [{ until: date("2024-02-30") }] };
    expect(() => canonicalDates(value, "f")).toThrow("This is not a valid Date: f.a.until (2024-02-30)");
  });
});

describe("a date that does not exist is refused with 111 and the field", () => {
  const refused = expect.objectContaining({ code: 111, message: expect.stringContaining("due") });

  it.each(NO_DATES)("in operations: %j", (iso) => {
    const values: JsonValue[] = [date(iso), [date(iso)], { deep: [{ er: date(iso) }] }];
    const lists = ["Add", "AddUnique", "Remove"].map((op) => ({ __op: op, objects: [1, date(iso)] }));
    for (const value of [...values, ...lists, date(iso)]) {
      expect(() => parseOperation(value, "due"), JSON.stringify(value)).toThrow(refused);
    }
    expect(() => parseOperation({ __type: "Date" }, "due")).toThrow(refused);
  });

  it.each(NO_DATES)("in conditions: %j", (iso) => {
    const conditions: JsonValue[] = [
      date(iso),
      ...["$eq", "$ne", "$lt", "$lte", "$gt", "$gte"].map((operator) => ({ [operator]: date(iso) })),
      ...["$in", "$nin", "$all", "$containedBy"].map((operator) => ({ [operator]: [1, date(iso)] })),
      { deep: [date(iso)] },
      [date(iso)],
    ];
    for (const condition of conditions) {
      const wheres: JsonObject[] = [
        { due: condition },
        { $or: [{ due: condition }] },
        { a: { $inQuery: { className: "A", where: { due: condition } } } },
      ];
      for (const where of wheres) expect(() => parseWhere(where), JSON.stringify(where)).toThrow(refused);
    }
  });
});

it("conditions compare dates within values in the format in which they are stored", () => {
  const where = parseWhere({ a: { at: date("2024-02-29T13:00:00+01:00") } });
  expect(where).toMatchObject({ operand: { type: "json", value: { at: date(NOON) } } });
});
