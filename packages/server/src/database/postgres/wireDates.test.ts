import { expect, it } from "vitest";
import { withWireDates } from "./wireDates.ts";

it("withWireDates() puts the type of each date first, at any depth", () => {
  const stored =
    '{"a": {"iso": "2024-01-02T03:04:05.000Z", "__type": "Date"}, "b": [{"iso": "x", "__type": "Date"}]}';
  expect(withWireDates(stored)).toBe(
    '{"a": {"__type":"Date","iso":"2024-01-02T03:04:05.000Z"}, "b": [{"__type":"Date","iso":"x"}]}',
  );
});

it("withWireDates() leaves strings that look like dates, and other objects, unchanged", () => {
  const text = JSON.stringify({ s: '{"iso": "x", "__type": "Date"}' }).replace(":", ": ");
  expect(withWireDates(text)).toBe(text);
  const other = '{"o": {"iso": "x", "__type": "Bytes"}, "p": {"iso": 1, "__type": "Date"}}';
  expect(withWireDates(other)).toBe(other);
});
