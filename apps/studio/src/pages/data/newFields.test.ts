import { describe, expect, it } from "vitest";
import { parseImportFile } from "./importFile.ts";
import { suggestNewFields, toClassName } from "./newFields.ts";

describe("suggestNewFields()", () => {
  it("names the fields of columns that have none, with the type of all their values", () => {
    const csv = [
      "Name,Unit price,IN_STOCK,since,zip,note,objectId,2nd,!",
      "a,1.5,true,2026-01-31,01234,,x,1,x",
      "b,-2e3,false,2026-01-31T10:00:00Z,90210,,y,,y",
    ].join("\n");
    expect(suggestNewFields(parseImportFile("a.csv", csv), ["name", "objectId"])).toEqual({
      "Unit price": { name: "unitPrice", type: "Number" },
      IN_STOCK: { name: "in_stock", type: "Boolean" },
      since: { name: "since", type: "Date" },
      // Zeros at the beginning would be lost.
      zip: { name: "zip", type: "String" },
      note: { name: "note", type: "String" },
      "2nd": { name: "field2nd", type: "Number" },
    });
  });

  it("knows the types of JSON values, and takes mixed ones as text", () => {
    const json = JSON.stringify([
      { n: 1, list: [1], map: { a: 1 }, at: { __type: "Date", iso: "2026-01-01T00:00:00.000Z" }, mixed: 1 },
      { n: null, place: { __type: "GeoPoint", latitude: 1, longitude: 2 }, mixed: "x" },
    ]);
    const types = Object.values(suggestNewFields(parseImportFile("a.json", json), []));
    expect(types.map(({ name, type }) => `${name} ${type}`)).toEqual([
      ...["n Number", "list Array", "map Object", "at Date", "mixed String", "place GeoPoint"],
    ]);
  });
});

it("suggestNewFields() keeps integers that are not safe as texts, and texts of JSON", () => {
  const csv = `wei,token,count,share,price
1000000000000000000,${2n ** 256n - 1n},9007199254740991,0.123456789012345678,0.30000000000000004
1,2,3,4,5`;
  const json = JSON.stringify([{ amount: "5", total: 5, at: "2026-01-01", isPaid: "true", isOpen: true }]);
  const typesOf = (name: string, text: string) =>
    Object.values(suggestNewFields(parseImportFile(name, text), [])).map((field) => field.type);
  expect(typesOf("a.csv", csv)).toEqual(["String", "String", "Number", "String", "Number"]);
  expect(typesOf("a.json", json)).toEqual(["String", "Number", "String", "String", "Boolean"]);
});

it("suggestNewFields() reads booleans as spreadsheets write them, and codes with an E as texts", () => {
  const csv = "open,code,mass,big\nTRUE,12E4,1.5E5,1E+21\nFalse,13E7,2,3";
  const fields = Object.values(suggestNewFields(parseImportFile("a.csv", csv), []));
  expect(fields.map(({ type }) => type)).toEqual(["Boolean", "String", "Number", "Number"]);
});

it("suggestNewFields() names fields for columns in any language", () => {
  const csv = "Größe,Prix unité,价格,Цена,!\n1,2,3,4,5";
  const fields = Object.values(suggestNewFields(parseImportFile("a.csv", csv), []));
  expect(fields.map(({ name }) => name)).toEqual(["grosse", "prixUnite", "column3", "column4"]);
});

it("suggestNewFields() suggests no fields that every class has", () => {
  const file = parseImportFile("a.csv", "objectId,createdAt,UpdatedAt,acl,name\na,b,c,d,e");
  expect(Object.keys(suggestNewFields(file, []))).toEqual(["name"]);
});

it.each([
  ["orders.csv", "Orders"],
  ["unit prices 2026.json", "UnitPrices2026"],
  ["2026.csv", ""],
  ["_User.csv", ""],
  ["…", ""],
])("toClassName() of %j is %j", (file, name) => {
  expect(toClassName(file)).toBe(name);
});
