import { expect, it } from "vitest";
import { TextPlugin } from "./textPlugin.ts";

/** A message of pgoutput: bytes, numbers of 16 and 32 bits, and texts that end with a zero. */
function message(...parts: (string | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(`${part}\0`) : part)));
}
const byte = (text: string) => Buffer.from(text);
function int16(n: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(n);
  return buffer;
}
function int32(n: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(n);
  return buffer;
}

const JSONB = 3802;
const TABLE = 5;
const RELATION = message(
  byte("R"),
  int32(TABLE),
  "public",
  "Post",
  byte("f"),
  int16(1),
  byte("\0"),
  "doc",
  int32(JSONB),
  int32(-1),
);

it("the plugin keeps the text of values instead of parsing it", () => {
  const failures: unknown[] = [];
  const plugin = new TextPlugin("purse_1_2", (error) => failures.push(error));
  plugin.parse(RELATION);
  const text = '{"n": 1.0}';
  const insert = message(
    byte("I"),
    int32(TABLE),
    byte("N"),
    int16(1),
    byte("t"),
    int32(text.length),
    byte(text),
  );
  expect(plugin.parse(insert)).toMatchObject({ tag: "insert", new: { doc: text } });
  expect(failures).toEqual([]);
});

it("the plugin reports messages that cannot be parsed, and does not throw", () => {
  const failures: string[] = [];
  const plugin = new TextPlugin("purse_1_2", (error) => failures.push(String(error)));
  const unknownTable = message(byte("I"), int32(TABLE), byte("N"), int16(0));
  for (const invalid of [byte("?"), RELATION.subarray(0, 8), unknownTable])
    expect(plugin.parse(invalid)).toMatchObject({ tag: "origin" });
  expect(failures).toHaveLength(3);
});
