import { describe, expect, it } from "vitest";
import { AnswerSize } from "./answerSize.ts";
import { answerChunks, answerTexts, jsonLength } from "./answerText.ts";

const answerText = async (value: unknown, answer: AnswerSize) => (await answerChunks(value, answer)).join("");

const LARGE = "x".repeat(100_000);
/** More than what is escaped at once, with a surrogate pair at the end of a part. */
const VERY_LARGE = `${"é".repeat(1024 * 1024 - 1)}😀"\\\n${"y".repeat(1024 * 1024)}`;

describe("answerChunks()", () => {
  it.each<[string, unknown]>([
    ["a small object", { a: 1, b: [null, true, "c"] }],
    ["an empty list", []],
    ["a large text", LARGE],
    ["a text of several parts with escapes and surrogate pairs", VERY_LARGE],
    ["large members between small ones", { a: 1, b: LARGE, c: { d: [LARGE, 2, LARGE] }, e: "f", g: {} }],
    ["a large member at the beginning", { a: LARGE, b: 1 }],
    ["many small members", Array.from({ length: 50_000 }, (_, n) => ({ n, half: n / 2 }))],
    ["members that JSON does not have", { a: undefined, b: LARGE, c: () => 1, d: [undefined, LARGE] }],
    ["names that have to be escaped", { 'a"b': LARGE, ["__proto__"]: 1, 2: 3, 1: LARGE }],
    ["values with a form of their own", { at: new Date(0), list: [new Date(1), LARGE] }],
  ])("is the JSON of %s", async (_, value) => {
    expect(await answerText(value, new AnswerSize(10_000_000))).toBe(JSON.stringify(value));
  });

  it("throws 116 before it serializes a value that is too large", async () => {
    const serialized: string[] = [];
    const part = { toJSON: () => serialized.push("part") };
    const value = [part, ...Array.from({ length: 1_000 }, () => LARGE)];
    await expect(answerText(value, new AnswerSize(50_000_000))).rejects.toMatchObject({ code: 116 });
    expect(serialized).toEqual([]);
  });

  it("counts escapes, which only serializing shows", async () => {
    const answer = new AnswerSize(150_000);
    await expect(answerText("\u0001".repeat(100_000), answer)).rejects.toMatchObject({ code: 116 });
  });

  it("charges the answer with the length of the text", async () => {
    const answer = new AnswerSize(1_000_000);
    const small = await answerText({ a: "b" }, answer);
    const large = await answerText({ a: LARGE, b: "\n" }, answer);
    expect(answer.bytesLeft).toBe(1_000_000 - small.length - large.length);
  });

  it("lets other work run while it serializes a large value", async () => {
    const value = Array.from({ length: 400_000 }, (_, n) => ({ n, text: `${n}` }));
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await answerText(value, new AnswerSize(100_000_000));
    isDone = true;
    expect(turns).toBeGreaterThan(3);
  });
});

describe("answerTexts()", () => {
  it("charges each value as often as it is in the list", async () => {
    const value = { text: LARGE };
    const values = Array.from({ length: 11 }, () => value);
    await expect(answerTexts(values, new AnswerSize(1_000_000))).rejects.toMatchObject({ code: 116 });
    expect(await answerTexts(values.slice(0, 9), new AnswerSize(1_000_000))).toHaveLength(9);
  });

  it("charges values that are known to be small together", async () => {
    const answer = new AnswerSize(10);
    await expect(answerTexts(["abcd", "efgh"], answer, 8)).rejects.toMatchObject({ code: 116 });
  });
});

describe("jsonLength()", () => {
  it("stops beyond the maximum", () => {
    const endless: unknown[] = [LARGE];
    endless.push(endless);
    expect(jsonLength(endless, 1_000_000)).toBeGreaterThan(1_000_000);
  });
});
