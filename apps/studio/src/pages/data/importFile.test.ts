import { describe, expect, it } from "vitest";
import { parseImportFile, suggestMapping, withObjectIds } from "./importFile.ts";

describe("a file to import", () => {
  it("can be CSV, TSV, JSON or JSON lines", () => {
    const rows = [["1", "x"]];
    expect(parseImportFile("a.csv", "\uFEFFn,name\r\n1,x\r\n")).toMatchObject({
      format: "csv",
      columns: ["n", "name"],
      rows,
    });
    expect(parseImportFile("a.txt", "n\tname\n1\tx\n\n")).toMatchObject({ format: "csv", rows });
    const json = { format: "json", columns: ["n", "name"], samples: { n: "1", name: '"x"' } };
    expect(parseImportFile("a.json", '[{"n":1},{"name":"x"}]')).toMatchObject(json);
    expect(parseImportFile("a.jsonl", '{"n":1}\n{"name":"x"}\n')).toMatchObject(json);
  });

  it("knows the line of each row, also after cells with line ends and empty lines", () => {
    const csv = 'n,"a\nb"\n1,"x\ny"\n\n2,z\n';
    expect(parseImportFile("a.csv", csv)).toMatchObject({
      lines: [3, 6],
      rows: [
        ["1", "x\ny"],
        ["2", "z"],
      ],
    });
    expect(parseImportFile("a.jsonl", '{"n":1}\n\n{"n":2}\n').lines).toEqual([1, 3]);
    expect(parseImportFile("a.json", '[{"n":1}]').lines).toBeUndefined();
  });

  it.each([
    ["", "empty"],
    ["[1,", "Invalid JSON"],
    ["a,a\n1,2", "Duplicate column: a"],
  ])("with the content %j is rejected with the problem", (text, message) => {
    expect(() => parseImportFile("a", text)).toThrow(message);
  });

  it("is mapped to the fields with the names of its columns", () => {
    expect(suggestMapping(["Name", " score ", "other"], ["name", "score"])).toEqual({
      Name: "name",
      " score ": "score",
      other: null,
    });
  });
});

it("withObjectIds() maps only the column of objectIds, and clears only that", () => {
  const columns = ["ObjectID", "Name", "other"];
  const mapping = { ObjectID: null, Name: "title", other: null };
  const withIds = { ...mapping, ObjectID: "objectId" };
  expect(withObjectIds(columns, mapping, true)).toEqual(withIds);
  expect(withObjectIds(columns, { ...withIds, other: "objectId" }, false)).toEqual(mapping);
});
