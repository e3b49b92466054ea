import { buildSchema, parse } from "graphql";
import { describe, expect, it } from "vitest";
import { checkCost, checkStructure, type QueryLimits } from "./queryLimits.ts";

const LIMITS: QueryLimits = { maxDepth: 5, maxCost: 1_000, defaultLimit: 10, maxLimit: 50 };
const schema = buildSchema(`
  type Query { note: Note, notes(first: Int, last: Int): NoteConnection }
  type NoteConnection { count: Int, edges: [NoteEdge] }
  type NoteEdge { node: Note }
  type Note { title: String, author: Note, notes(first: Int): NoteConnection }
`);
const structureOf = (text: string) => checkStructure(parse(text), LIMITS)?.message;
/** Whether an operation costs at most `maxCost`. */
const isWithin = (text: string, maxCost: number, variables: Record<string, unknown> = {}, name?: string) =>
  checkCost(schema, parse(text), name, variables, { ...LIMITS, maxCost }) === undefined;

describe("the structure of a document", () => {
  it("is refused beyond the maximum depth, also through fragments", () => {
    expect(structureOf("{ a { b { c { d { e } } } } }")).toBeUndefined();
    expect(structureOf("{ a { b { c { d { e { f } } } } } }")).toBe("The operation is deeper than 5 levels.");
    expect(structureOf("{ a { b { ...F } } } fragment F on T { c { d { e { f } } } }")).toBe(
      "The operation is deeper than 5 levels.",
    );
  });

  it("is refused if fragments that contain each other twice make it too large", () => {
    const fragments = Array.from(
      { length: 20 },
      (_, i) => `fragment F${i} on T { ...F${i + 1} ... on T { ...F${i + 1} } }`,
    );
    expect(structureOf(`{ ...F0 } ${fragments.join(" ")} fragment F20 on T { a }`)).toBe(
      "The document has more than 5000 fields.",
    );
  });

  it("is measured although a fragment contains itself, which validation refuses", () => {
    expect(structureOf("{ ...F } fragment F on T { a ...F }")).toBeUndefined();
  });

  it("is refused with too many aliases, or too many fields at the root", () => {
    const aliases = Array.from({ length: 501 }, (_, i) => `a${i}: title`).join(" ");
    expect(structureOf(`{ note { ${aliases} } }`)).toBe("The operation has more than 500 aliases.");
    const roots = Array.from({ length: 101 }, () => "note").join(" ");
    expect(structureOf(`{ ${roots} }`)).toBe("The operation has more than 100 fields at its root.");
  });
});

describe("the cost of an operation", () => {
  // A connection costs 20, each of its edges 2, its node 2, and the title 1.
  it.each([
    ["{ notes(first: 4) { edges { node { title } } } }", 40],
    ["{ notes { edges { node { title } } } }", 70],
    ["{ notes(first: 1000) { edges { node { title } } } }", 270],
    ["{ notes(first: 4, last: 2) { edges { node { title } } } }", 30],
    ["{ notes(first: -1) { edges { node { title } } } }", 70],
    ["{ note { title author { title } } }", 6],
    ["{ notes(first: 4) { count } }", 21],
    ["{ ... on Query { note { ...N } } } fragment N on Note { title }", 3],
  ])("of %s is %i", (text, cost) => {
    expect(isWithin(text, cost)).toBe(true);
    expect(isWithin(text, cost - 1)).toBe(false);
  });

  it("counts pages by the variables", () => {
    const text = "query ($n: Int) { notes(first: $n) { edges { node { title } } } }";
    expect(isWithin(text, 40, { n: 4 })).toBe(true);
    expect(isWithin(text, 40, { n: 5 })).toBe(false);
  });

  it("multiplies pages within pages", () => {
    const text = "{ notes(first: 3) { edges { node { notes(first: 5) { edges { node { title } } } } } } }";
    // 20 + 3 × (2 + 2 + 20 + 5 × 5)
    expect(isWithin(text, 167)).toBe(true);
    expect(isWithin(text, 166)).toBe(false);
  });

  it("is that of the operation that is executed", () => {
    const text = "query A { note { title } } query B { notes { edges { node { title } } } }";
    expect(isWithin(text, 3, {}, "A")).toBe(true);
    expect(isWithin(text, 3, {}, "B")).toBe(false);
  });
});
