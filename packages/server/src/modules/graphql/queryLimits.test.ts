import { buildSchema, getOperationAST, parse } from "graphql";
import { offsetToCursor } from "graphql-relay";
import { describe, expect, it } from "vitest";
import { ANONYMOUS_JSON_LIMITS } from "../../core/http/bodyParser.ts";
import { UploadedFile } from "./context.ts";
import {
  checkInput,
  measureCost,
  measureDocument,
  type QueryLimits,
  sizesOfVariables,
} from "./queryLimits.ts";

const LIMITS: QueryLimits = { maxDepth: 5, maxCost: 1_000, defaultLimit: 10, maxLimit: 50 };
const schema = buildSchema(`
  type Query { note: Note, notes(first: Int, last: Int, before: String): NoteConnection }
  type NoteConnection { count: Int, edges: [NoteEdge] }
  type NoteEdge { node: Note }
  type Note { title: String, author: Note, notes(first: Int): NoteConnection }
`);
/** Why a document is refused. */
function structureOf(text: string): string | undefined {
  try {
    measureDocument(parse(text), LIMITS);
    return undefined;
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}
function operationOf(text: string, name?: string) {
  const document = parse(text);
  const operation = getOperationAST(document, name);
  if (!operation) throw new Error("There is no such operation");
  return { document, operation };
}
/** Whether an operation costs at most `maxCost`. */
function isWithin(text: string, maxCost: number, variables: Record<string, unknown> = {}, name?: string) {
  const { document, operation } = operationOf(text, name);
  return measureCost(schema, document, operation, variables, LIMITS).total <= maxCost;
}
const INPUT_LIMITS = {
  bytes: 10_000,
  json: { ...ANONYMOUS_JSON_LIMITS, nodes: 100, values: 200 },
  fileBytes: 1_000,
};
/** Why the input of an operation is refused. */
function inputErrorOf(text: string, variables: Record<string, unknown> = {}) {
  const { document, operation } = operationOf(text);
  const sizes = sizesOfVariables(operation, variables);
  return checkInput(measureDocument(document, LIMITS), operation, sizes, INPUT_LIMITS)?.message;
}

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
  });

  it.each([
    ["in the operation", (fields: string) => `{ ${fields} }`],
    ["in an inline fragment", (fields: string) => `{ ... on Query { ... { ${fields} } } }`],
    ["in a fragment", (fields: string) => `{ ...F } fragment F on Query { ${fields} }`],
  ])("is refused with too many fields at the root %s", (_, documentOf) => {
    const roots = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: note`).join(" ");
    expect(structureOf(documentOf(roots(100)))).toBeUndefined();
    expect(structureOf(documentOf(roots(101)))).toBe("The operation has more than 100 fields at its root.");
  });

  it("is refused if a fragment is never used, which would not be measured", () => {
    expect(structureOf("{ a } fragment F on T { a }")).toBe('Fragment "F" is never used.');
  });

  it.each([
    ["the same field", `{ ${"a { b } ".repeat(200)} }`],
    ["the same field below others", `{ ${"a { b { c } } ".repeat(150)} }`],
    ["a name without selection", `{ ${"a ".repeat(500)} }`],
    [
      "many fragments",
      `{ ${Array.from({ length: 400 }, (_, i) => `...F${i}`).join(" ")} } ${Array.from({ length: 400 }, (_, i) => `fragment F${i} on T { a${i} }`).join(" ")}`,
    ],
  ])("is refused if it selects %s so often that validation takes long", (_, text) => {
    expect(structureOf(text)).toBe(
      "The document selects too many fields with the same name, or too many fragments.",
    );
  });

  it("may have the fragments of many components", () => {
    const names = Array.from({ length: 40 }, (_, i) => `F${i}`);
    const fragments = names.map(
      (name, i) => `fragment ${name} on T { id __typename a${i} author { id name } }`,
    );
    const uses = names.map((name) => `...${name}`).join(" ");
    expect(structureOf(`{ note { ${uses} } } ${fragments.join(" ")}`)).toBeUndefined();
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

  it.each([
    ["a default value", "query ($n: Int = 50) { notes(first: $n) { edges { node { title } } } }"],
    [
      "a default value with an inherited name",
      "query ($toString: Int = 50) { notes(first: $toString) { edges { node { title } } } }",
    ],
    ["a cursor at the end", `{ notes(before: "${offsetToCursor(50)}") { edges { node { title } } } }`],
    [
      "a cursor as a default value",
      `query ($c: String = "${offsetToCursor(50)}") { notes(before: $c) { edges { node { title } } } }`,
    ],
  ])("counts pages by %s", (_, text) => {
    expect(isWithin(text, 270)).toBe(true);
    expect(isWithin(text, 269)).toBe(false);
  });

  it("counts the size of a page before its cursor, and a variable before its default value", () => {
    const cursor = offsetToCursor(1_000);
    expect(isWithin(`{ notes(first: 4, before: "${cursor}") { edges { node { title } } } }`, 40)).toBe(true);
    const text = "query ($n: Int = 50) { notes(first: $n) { edges { node { title } } } }";
    expect(isWithin(text, 40, { n: 4 })).toBe(true);
    expect(isWithin('{ notes(before: "no cursor") { edges { node { title } } } }', 70)).toBe(true);
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

describe("the input of an operation", () => {
  const texts = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`);
  const uses = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: note(a: $v)`).join(" ");

  it.each<[string, string, Record<string, unknown>, string | undefined]>([
    ["a variable that is used once", "query($v: A) { note(a: $v) }", { v: texts(90) }, undefined],
    ["a variable that is used twice", `query($v: A) { ${uses(2)} }`, { v: texts(90) }, "100 keys"],
    [
      "a variable in a fragment that is used twice",
      "query($v: A) { a { ...F } b { ...F } } fragment F on T { note(a: $v) }",
      { v: texts(90) },
      "100 keys",
    ],
    ["a variable in an object", "query($v: A) { note(a: { b: [$v, $v] }) }", { v: texts(60) }, "100 keys"],
    ["a variable of a directive", "query($v: A) { a @d(a: $v) b @d(a: $v) }", { v: texts(60) }, "100 keys"],
    ["a default value", `query($v: A = ${JSON.stringify(texts(40))}) { ${uses(3)} }`, {}, "100 keys"],
    [
      "a default value that is replaced",
      `query($v: A = ${JSON.stringify(texts(40))}) { ${uses(3)} }`,
      { v: 1 },
      undefined,
    ],
    ["numbers", `query($v: A) { ${uses(3)} }`, { v: texts(90).map((_, i) => i) }, "200 values"],
    ["a long text", `query($v: A) { ${uses(3)} }`, { v: "x".repeat(4_000) }, "10000 bytes"],
    [
      "a file",
      `query($v: A) { ${uses(2)} }`,
      { v: new UploadedFile("a", "", Buffer.alloc(600)) },
      "1000 bytes of files",
    ],
    [
      "values in a fragment that is used twice",
      `{ a { ...F } b { ...F } } fragment F on T { note(a: ${JSON.stringify(texts(60))}) }`,
      {},
      "100 keys",
    ],
  ])("counts %s as often as it is used", (_, text, variables, message) => {
    if (message === undefined) expect(inputErrorOf(text, variables)).toBeUndefined();
    else expect(inputErrorOf(text, variables)).toContain(message);
  });

  it("is refused beyond the depth of JSON", () => {
    expect(structureOf(`{ note(a: ${"[".repeat(150)}${"]".repeat(150)}) }`)).toBeUndefined();
    expect(structureOf(`{ note(a: ${"[".repeat(300)}${"]".repeat(300)}) }`)).toContain("too deeply");
  });
});
