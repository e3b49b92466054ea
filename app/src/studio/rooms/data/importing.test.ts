import { describe, expect, it } from "vitest";
import { importFile, mappingOf } from "./importing.ts";

describe("a file to import", () => {
  it("is CSV, a table of a spreadsheet, JSON or JSON lines", () => {
    const rows = [["1", "x"]];
    expect(importFile("a.csv", "\uFEFFn,name\r\n1,x\r\n")).toMatchObject({
      format: "csv",
      columns: ["n", "name"],
      rows,
    });
    expect(importFile("a.txt", "n\tname\n1\tx\n\n")).toMatchObject({ format: "csv", rows });
    const json = { format: "json", columns: ["n", "name"], samples: { n: "1", name: '"x"' } };
    expect(importFile("a.json", '[{"n":1},{"name":"x"}]')).toMatchObject(json);
    expect(importFile("a.jsonl", '{"n":1}\n{"name":"x"}\n')).toMatchObject(json);
  });

  it.each([
    ["", "empty"],
    ["[1,", "no list of JSON"],
    ["a,a\n1,2", "Two columns are called a."],
  ])("%j is told what is wrong", (text, message) => {
    expect(() => importFile("a", text)).toThrow(message);
  });

  it("goes to the fields of its names", () => {
    expect(mappingOf(["Name", " score ", "other"], ["name", "score"])).toEqual({
      Name: "name",
      " score ": "score",
      other: null,
    });
  });
});
