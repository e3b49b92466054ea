import { expect, it } from "vitest";
import { answerOf, limitEvent } from "./answerSize.ts";

const TEXT = "x".repeat(1_000_000);

it("answerOf() returns the text of a result of up to the maximum", async () => {
  const result = { data: { a: TEXT, b: TEXT } };
  expect((await answerOf(result, 2_100_000)).join("")).toBe(JSON.stringify(result));
});

it("answerOf() returns an error for a result that repeats a value too often", async () => {
  const answer = (await answerOf({ data: { a: TEXT, b: TEXT, c: TEXT } }, 2_100_000)).join("");
  expect(JSON.parse(answer)).toMatchObject({ data: null, errors: [{ extensions: { code: 116 } }] });
});

it("limitEvent() returns an event of up to 8 MiB as it is", () => {
  const event = { data: { a: TEXT, b: TEXT } };
  expect(limitEvent(event)).toEqual({ result: event, chars: JSON.stringify(event.data).length + 1 });
});

it("limitEvent() returns an error for an event that repeats a value too often", () => {
  const data = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`a${n}`, TEXT]));
  const { result, chars } = limitEvent({ data });
  expect(result).toMatchObject({ data: null, errors: [{ extensions: { code: 116 } }] });
  expect(chars).toBeGreaterThan(8 * 1024 * 1024);
});
