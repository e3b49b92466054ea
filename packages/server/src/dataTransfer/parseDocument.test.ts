import { describe, expect, it } from "vitest";
import { classFromDump, convertDocument } from "./parseDocument.ts";

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
