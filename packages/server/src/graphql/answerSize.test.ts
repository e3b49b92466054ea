import { expect, it } from "vitest";
import { limitEvent } from "./answerSize.ts";

const TEXT = "x".repeat(1_000_000);

it("limitEvent() returns an event of up to 8 MiB as it is", () => {
  const event = { data: { a: TEXT, b: TEXT } };
  expect(limitEvent(event)).toBe(event);
});

it("limitEvent() returns an error for an event that repeats a value too often", () => {
  const data = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`a${n}`, TEXT]));
  const limited = limitEvent({ data });
  expect(limited).toMatchObject({ data: null, errors: [{ extensions: { code: 116 } }] });
});
