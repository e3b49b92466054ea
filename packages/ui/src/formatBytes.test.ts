import { expect, it } from "vitest";
import { formatBytes } from "./formatBytes.ts";

it("formatBytes() uses the unit that fits, with one decimal for small numbers", () => {
  const sizes = [1, 11, 21_480, 148_000, 1_400_000, 5_000_000_000_000];
  expect(sizes.map((size) => formatBytes(size, "en"))).toEqual([
    "1 byte",
    "11 bytes",
    "21.5 kB",
    "148 kB",
    "1.4 MB",
    "5 TB",
  ]);
});
