import { expect, it } from "vitest";
import { DATE } from "./scalars.ts";

it.each([
  ["2024-02-29T10:00:00.000Z", "2024-02-29T10:00:00.000Z"],
  ["2024-02-29T10:00", "2024-02-29T10:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
])("a Date of GraphQL reads %s", (text, iso) => {
  const date = { __type: "Date", iso };
  expect(DATE.parseValue(text)).toEqual(date);
  expect(DATE.parseValue({ __type: "Date", iso: text })).toEqual(date);
});

it.each(["2024-02-30T00:00:00.000Z", "12", "02/03/2024", "", 5, null])(
  "a Date of GraphQL refuses %j",
  (value) => {
    expect(() => DATE.parseValue(value)).toThrow("is not a valid Date");
    expect(() => DATE.parseValue({ __type: "Date", iso: value })).toThrow("is not a valid Date");
  },
);
