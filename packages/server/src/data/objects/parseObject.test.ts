import type { JsonObject, JsonValue } from "@purse/protocol";
import { expect, it } from "vitest";
import { parseObject } from "./parseObject.ts";

const keys = (count: number, value: (i: number) => JsonValue) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, value(i)]));
const items = <Item>(count: number, make: (i: number) => Item) =>
  Array.from({ length: count }, (_, i) => make(i));
const deep = (depth: number, inner: JsonValue): JsonObject => ({
  a: [1, depth === 0 ? inner : deep(depth - 1, inner)],
  b: 2,
});

const OBJECTS: [title: string, object: JsonObject][] = [
  ["of a few keys", { objectId: "a", n: 1, box: { x: [] } }],
  ["of many keys", keys(20_000, (i) => i)],
  ["with an object of many keys", { before: 1, box: keys(20_000, String), after: [2] }],
  [
    "with many objects",
    { before: {}, list: items(20_000, (i) => ({ [`k${i}`]: i, list: [i, [i]] })), after: null },
  ],
  ["with many numbers", { list: items(100_000, (i) => i / 3), n: 1 }],
  ["with a long text", { text: 'a"\\'.repeat(100_000), n: 1 }],
  [
    "with many texts that look like JSON",
    { list: items(20_000, (i) => `{"a":[${i},"\\\\"]}`), "a,b]": { '"': "}" } },
  ],
  ["with long values deep in it", deep(20, { box: keys(20_000, (i) => [i]), text: "x".repeat(100_000) })],
  ["with long and short values in turn", keys(200, (i) => (i % 2 === 0 ? items(5_000, (n) => n) : {}))],
  ["with empty values", { a: items(30_000, () => []), b: items(30_000, () => ({})), c: [], d: {} }],
];

it.each(OBJECTS)("an object %s is parsed as JSON.parse() does, in the same order", async (_title, object) => {
  for (const text of [JSON.stringify(object), JSON.stringify(object, null, 1)])
    expect(JSON.stringify(await parseObject(text))).toBe(JSON.stringify(object));
});

it("others have their turns while an object with 100,000 keys is parsed", async () => {
  const text = JSON.stringify(keys(100_000, (i) => i));
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await parseObject(text);
  isDone = true;
  expect(turns).toBeGreaterThan(2);
});
