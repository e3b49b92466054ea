import { describe, expect, it } from "vitest";
import { jsonTexts } from "./jsonTexts.ts";

/** The texts of a file that arrives in pieces of this length. */
async function split(file: string, pieceLength = file.length): Promise<string[]> {
  async function* pieces() {
    for (let at = 0; at < file.length; at += pieceLength) yield file.slice(at, at + pieceLength);
  }
  const texts: string[] = [];
  for await (const text of jsonTexts(pieces())) texts.push(text);
  return texts;
}

const DOCUMENTS = [
  { _id: "a", text: 'a "quoted" } ] { [ \\ text\nof two lines', list: [[1], { b: {} }] },
  { _id: "b", nested: { list: [] } },
  { _id: "c", slash: "\\" },
];

describe("jsonTexts()", () => {
  it.each([
    ["one per line", DOCUMENTS.map((each) => JSON.stringify(each)).join("\n")],
    ["one per line, with empty lines", DOCUMENTS.map((each) => `\n${JSON.stringify(each)}\r\n`).join("\n")],
    ["over several lines", DOCUMENTS.map((each) => JSON.stringify(each, null, "\t")).join("\n")],
    ["as an array in one line", JSON.stringify(DOCUMENTS)],
    ["as an array over several lines", `${JSON.stringify(DOCUMENTS, null, 2)}\n`],
    ["as an array of lines", `[${DOCUMENTS.map((each) => JSON.stringify(each)).join(",\n")}]`],
  ])("reads objects %s, however they are cut into pieces", async (_, file) => {
    for (const pieceLength of [1, 2, 7, file.length])
      expect((await split(file, pieceLength)).map((text) => JSON.parse(text))).toEqual(DOCUMENTS);
  });

  it("keeps what is damaged apart from the objects after it", async () => {
    const file = '{"a":1}\n{"text":"cut o\n{"b":2}\nnonsense\n{"c":[1,\n{"d":3}\n5\n{"e":"end';
    const expected = [
      '{"a":1}',
      '{"text":"cut o',
      '{"b":2}',
      "nonsense",
      '{"c":[1',
      '{"d":3}',
      "5",
      '{"e":"end',
    ];
    for (const pieceLength of [1, 3, file.length]) expect(await split(file, pieceLength)).toEqual(expected);
  });

  it("reads nothing from an empty file or array", async () => {
    expect(await split(" \n")).toEqual([]);
    expect(await split("[\n]\n")).toEqual([]);
  });
});
