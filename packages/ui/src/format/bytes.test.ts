import { expect, it } from "vitest";
import { formatBytes } from "./bytes.ts";

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

it.each([
  ["de", "1,4 MB", "11 Byte"],
  ["es", "1,4 MB", "11 bytes"],
  ["fr", "1,4 Mo", "11 octets"],
  ["ja", "1.4 MB", "11 バイト"],
  ["zh-Hans", "1.4 MB", "11字节"],
])("formats numbers and units in %s", (language, megabytes, bytes) => {
  const texts = [1_400_000, 11].map((size) => formatBytes(size, language).replace(/\s/g, " "));
  expect(texts).toEqual([megabytes, bytes]);
});
