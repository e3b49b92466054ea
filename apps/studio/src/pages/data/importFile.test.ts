import { describe, expect, it, vi } from "vitest";
import { StudioApi } from "../../api.ts";
import { importRows, parseImportFile, suggestMapping, withObjectIds } from "./importFile.ts";

describe("a file to import", () => {
  it("can be CSV, TSV, JSON or JSON lines", () => {
    const rows = [[{ text: "1" }, { text: "x" }]];
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
        [{ text: "1" }, { text: "x\ny" }],
        [{ text: "2" }, { text: "z" }],
      ],
    });
    expect(parseImportFile("a.jsonl", '{"n":1}\n\n{"n":2}\n').lines).toEqual([1, 3]);
    expect(parseImportFile("a.json", '[{"n":1}]').lines).toBeUndefined();
  });

  it.each([
    ["", "empty"],
    ["[1,", "Line 1: the JSON is not valid at column 4."],
    ['{"a":1}\n\n{"a":}\n', "Line 3: the JSON is not valid at column 6."],
    ["a, a \n1,2", "Line 1: two columns are named a."],
    ["a,\n1,2", "Line 1: column 2 has no name."],
    ['a,b\n1,"2\n3,4\n', "Line 2: a quote is opened and never closed."],
    ["\u0000PNG,b\n1,2\n", "Line 1: a control character shows that the file is not a text."],
  ])("with the content %j is rejected with the problem", (text, message) => {
    expect(() => parseImportFile("a", text)).toThrow(message);
  });

  it.each([
    ["n;price;day\n1;1,5;2024-01-31\n2;3;2024-02-01\n", ";", ","],
    ["n;price\n1;1.5\n2;1,5\n", ";", "."],
    // 1,500 is one and a half, or one and a half thousand.
    ["n;price\n1;1,500\n", ";", "."],
    ['n,price\n1,"1,5"\n', ",", "."],
    ["n\tprice\n1\t1,25\n", "\t", ","],
    ["n|price\n1|1\n", "|", "."],
  ])("has its delimiter and its decimal separator detected: %j", (text, delimiter, decimal) => {
    expect(parseImportFile("a.csv", text)).toMatchObject({ delimiter, decimal });
  });

  it("is read with the given delimiter and decimal separator", () => {
    const given = { delimiter: ";", decimal: "," } as const;
    expect(parseImportFile("a.csv", "a,b;c\n1;2\n", given)).toMatchObject({
      ...given,
      columns: ["a,b", "c"],
    });
  });

  it("is sent in one format, with the quotes that tell an empty text from nothing", async () => {
    const sent: unknown[] = [];
    const answer = { imported: 1, failed: 1, failedRows: [2], reasons: ["no"], errorFile: "" };
    vi.stubGlobal("fetch", async (_url: string, options?: RequestInit) => {
      sent.push(JSON.parse(String(options?.body)));
      return Response.json(answer);
    });
    const file = parseImportFile("a.csv", 'name; price ;\n"";1,5\n;"2"\n\\N;3;\n');
    const options = { mapping: {}, keepIds: false, dryRun: true };
    expect(await importRows(new StudioApi(), "A", file, options, () => undefined)).toEqual({
      ...answer,
      remaining: 0,
    });
    vi.unstubAllGlobals();
    const text = 'name,price\r\n"","1,5"\r\n,"2"\r\n\\N,3,\r\n';
    expect(sent).toMatchObject([{ format: "csv", delimiter: ",", decimal: ",", text }]);
  });

  it("is imported up to the batch in which it was stopped or failed", async () => {
    const text = `n\n${"1\n".repeat(600)}`;
    const file = parseImportFile("a.csv", text);
    const options = { mapping: {}, keepIds: false, dryRun: false };
    const answer = { imported: 250, failed: 0, failedRows: [], reasons: [], errorFile: "" };
    let requests = 0;
    vi.stubGlobal("fetch", async () => {
      requests += 1;
      return requests === 2
        ? Response.json({ code: 1, error: "down" }, { status: 500 })
        : Response.json(answer);
    });
    const failed = await importRows(new StudioApi(), "A", file, options, () => undefined);
    expect(failed).toMatchObject({ imported: 250, remaining: 350, error: { message: "down" } });

    const stop = new AbortController();
    const done: number[] = [];
    const progress = (n: number) => {
      done.push(n);
      if (n > 0) stop.abort();
    };
    const stopped = await importRows(new StudioApi(), "A", file, options, progress, stop.signal);
    expect(stopped).toMatchObject({ imported: 250, remaining: 350 });
    expect(stopped.error).toBeUndefined();
    expect(done).toEqual([0, 250]);
    vi.unstubAllGlobals();
  });

  it("is mapped to the fields with the names of its columns", () => {
    expect(suggestMapping(["Name", "score", "other"], ["name", "score"])).toEqual({
      Name: "name",
      score: "score",
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
