import { expect, it } from "vitest";
import { encodeRows } from "./tabSeparated.ts";

it("separates values by tabs and rows by line feeds", () => {
  expect(encodeRows([[1, "text", null], [2]]).toString()).toBe("1\ttext\t\\N\n2\n");
});

it("escapes only the bytes that the format uses", () => {
  const bytes = Uint8Array.from([0x00, 0x09, 0x0a, 0x0d, 0x5c, 0xff, 0x41]);
  expect(encodeRows([[bytes]])).toEqual(
    Buffer.concat([Buffer.from("\\0\\t\\n\\r\\\\"), Buffer.from([0xff, 0x41, 0x0a])]),
  );
});
