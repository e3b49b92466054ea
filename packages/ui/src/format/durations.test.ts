import { expect, it } from "vitest";
import { formatDuration } from "./durations.ts";

it.each([
  [1.44, "1.4 ms"],
  [350, "350 ms"],
  [1_240, "1.2 sec"],
  [42_400, "42 sec"],
  [95_000, "1.6 min"],
  [3_000_000, "50 min"],
  [7_200_000, "2 hr"],
  [172_800_000, "2 days"],
])("formatDuration(%d) is %s", (ms, text) => {
  expect(formatDuration(ms, "en")).toBe(text);
});

it("formatDuration() can name units in full, rounded", () => {
  expect(formatDuration(95_000, "en", "long")).toBe("2 minutes");
  expect(formatDuration(7_300_000, "de", "long")).toBe("2 Stunden");
});
