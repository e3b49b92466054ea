import type { JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { classFromDump, convertDocument } from "./parseDocument.ts";

describe("dates of a dump", () => {
  const dumpClass = classFromDump({ _id: "Visit", at: "date" });
  const atOf = (at: JsonValue) => convertDocument("Visit", { _id: "a", at }, dumpClass, new Set()).object.at;

  it.each<[JsonValue, string]>([
    [{ $date: "2024-02-29T10:00:00.000Z" }, "2024-02-29T10:00:00.000Z"],
    [{ $date: "2024-02-29T10:00:00.000-0400" }, "2024-02-29T14:00:00.000Z"],
    [{ $date: { $numberLong: "-1" } }, "1969-12-31T23:59:59.999Z"],
    ["2024-02-29 10:00", "2024-02-29T10:00:00.000Z"],
  ])("are imported with their time, which is in UTC without a zone: %j", (at, iso) => {
    expect(atOf(at)).toEqual({ __type: "Date", iso });
  });

  it.each<JsonValue>([{ $date: "2024-02-30T10:00:00.000Z" }, "2023-02-29T10:00:00.000Z", "soon"])(
    "that do not exist are errors: %j",
    (at) => {
      expect(() => atOf(at)).toThrow("is not a date");
      const created = () => convertDocument("Visit", { _id: "a", _created_at: at }, dumpClass, new Set());
      expect(created).toThrow("is not a date");
    },
  );
});

describe("a class of on-chain events in a dump of Moralis", () => {
  const dumpClass = classFromDump({
    _id: "Sold",
    uid: "string",
    uid_decimal: "object",
    price: "string",
    price_decimal: "numberdecimal",
    total_decimal: "object",
  });

  it("has approximate integers as numbers, whatever the dump calls their type", () => {
    expect(dumpClass.schema.fields).toEqual({
      uid: { type: "String" },
      uid_decimal: { type: "Number" },
      price: { type: "String" },
      price_decimal: { type: "Number" },
      total_decimal: { type: "Object" },
    });
  });

  it("has the values of Decimal128 as numbers", () => {
    const document = { _id: "a", uid: "7", uid_decimal: { $numberDecimal: "7" } };
    expect(convertDocument("Sold", document, dumpClass, new Set()).object).toMatchObject({
      uid: "7",
      uid_decimal: 7,
    });
  });
});
