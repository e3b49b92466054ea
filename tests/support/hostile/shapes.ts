import type { Random } from "../random.ts";

/** The type of the field that a shape is saved into. */
export type ShapeType = "text" | "list" | "map" | "number";

/** Generates a value that is expensive to process, as JSON text of about the given size. */
export interface Shape {
  name: string;
  type: ShapeType;
  make(bytes: number, random: Random): string;
}

const repeated = (piece: string, bytes: number) =>
  piece.repeat(Math.max(1, Math.floor(bytes / piece.length)));
const list = (item: (i: number) => string, count: number) =>
  `[${Array.from({ length: Math.max(1, count) }, (_, i) => item(i)).join()}]`;

/** The same item many times: a million items of their own take seconds to join. */
const equalItems = (item: string, count: number) =>
  `[${`${item},`.repeat(Math.max(0, Math.floor(count) - 1))}${item}]`;

/** Makes the value of each size only once, because it takes longer than its processing. */
function once(make: (bytes: number) => string): (bytes: number) => string {
  const made = new Map<number, string>();
  return (bytes) => {
    const known = made.get(bytes) ?? make(bytes);
    made.set(bytes, known);
    return known;
  };
}

/** Values by their dominant content. */
export const SHAPES: readonly Shape[] = [
  { name: "arrays in arrays", type: "list", make: (n) => "[".repeat(n / 2) + "]".repeat(n / 2) },
  { name: "objects in objects", type: "map", make: (n) => `${'{"a":'.repeat(n / 6)}1${"}".repeat(n / 6)}` },
  {
    name: "distinct keys",
    type: "map",
    make: once((n) => `{${Array.from({ length: Math.max(1, n / 11) }, (_, i) => `"k${i}":1`).join()}}`),
  },
  {
    name: "objects of distinct keys",
    type: "list",
    make: once((n) => list((i) => `{"k${i}":1}`, n / 12)),
  },
  { name: "equal objects", type: "list", make: (n) => equalItems('{"a":1,"b":2}', n / 14) },
  { name: "empty arrays", type: "list", make: (n) => equalItems("[]", n / 3) },
  { name: "short strings", type: "list", make: (n) => list((i) => `"${i}"`, n / 9) },
  { name: "whole numbers", type: "list", make: (n) => equalItems("0,1,2,3,4,5,6,7,8,9", n / 20) },
  { name: "fractions", type: "list", make: (n, random) => list(() => String(random.next()), n / 20) },
  { name: "numbers of many digits", type: "list", make: (n) => list(() => "9".repeat(5_000), n / 5_000) },
  { name: "one long number", type: "number", make: (n) => repeated("7", n) },
  { name: "one long string", type: "text", make: (n) => `"${"x".repeat(n)}"` },
  { name: "escaped quotes", type: "text", make: (n) => `"${repeated('\\"', n)}"` },
  { name: "escaped backslashes", type: "text", make: (n) => `"${repeated("\\\\", n)}"` },
  { name: "quotes far apart", type: "text", make: (n) => `"${repeated(`${"x".repeat(129)}\\"`, n)}"` },
  { name: "characters by their numbers", type: "text", make: (n) => `"${repeated("\\u20ac", n)}"` },
  { name: "halves of surrogate pairs", type: "text", make: (n) => `"${repeated("\\ud800", n)}"` },
  { name: "NULs", type: "text", make: (n) => `"${repeated("\\u0000", n)}"` },
  {
    name: "characters that folding makes 18 of",
    type: "text",
    make: (n) => `"${repeated("\ufdfa", n / 3)}"`,
  },
  { name: "combining marks", type: "text", make: (n) => `"a${repeated("\u0301\u0323", n / 4)}"` },
  { name: "spaces", type: "number", make: (n) => `${" ".repeat(n)}1` },
  { name: "a string that never ends", type: "text", make: (n) => `"${"x".repeat(n)}` },
  { name: "commas", type: "list", make: (n) => `[${",".repeat(n)}]` },
  {
    name: "pointers",
    type: "list",
    make: (n) => list((i) => `{"__type":"Pointer","className":"C","objectId":"o${i}"}`, n / 58),
  },
  {
    name: "dates",
    type: "list",
    make: (n) => list(() => '{"__type":"Date","iso":"2026-01-01T00:00:00.000Z"}', n / 52),
  },
];
