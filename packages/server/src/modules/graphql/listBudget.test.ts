import { buildSchema, execute, getOperationAST, parse } from "graphql";
import { describe, expect, it } from "vitest";
import { ListBudget, limitLists } from "./listBudget.ts";
import { measureCost } from "./queryLimits.ts";

const LIMITS = { maxDepth: 10, maxCost: 1_000, defaultLimit: 10, maxLimit: 50 };
const schema = buildSchema(`
  type Query { note: Note, notes: NoteConnection }
  type NoteConnection { edges: [NoteEdge] }
  type NoteEdge { node: Note }
  type Note { title: String, tags: [String], points: [Point!], later: [Point] }
  type Point { x: Int, y: Int }
`);
limitLists(schema);

/** The errors of an operation whose lists have so many elements, and how many of these were resolved. */
async function errorsOf(text: string, length: number, isLimited = true) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error("There is no operation");
  let resolved = 0;
  const point = {
    x: () => {
      resolved += 1;
      return 1;
    },
    y: 2,
  };
  const points = Array.from({ length }, () => point);
  const note = { title: "a", tags: Array(length).fill("t"), points, later: async () => points };
  const cost = measureCost(schema, document, operation, {}, LIMITS);
  const lists = isLimited ? new ListBudget(cost, LIMITS.maxCost) : undefined;
  const rootValue = { note, notes: { edges: Array.from({ length: 10 }, () => ({ node: note })) } };
  const { errors = [] } = await execute({ schema, document, rootValue, contextValue: { lists } });
  return { codes: errors.map(({ extensions }) => extensions.code), resolved };
}

describe("the lists of an operation", () => {
  it.each([
    ["of texts", "{ note { tags } }", 996],
    ["of objects", "{ note { points { x y } } }", 331],
    ["that are loaded", "{ note { later { x y } } }", 331],
    ["of a fragment", "{ note { ...F } } fragment F on Note { points { ... on Point { x y } } }", 331],
    ["that are selected twice", "{ note { points { x } points { y } } }", 330],
  ])("%s are resolved as long as they cost as much as the operation may", async (_, text, length) => {
    expect((await errorsOf(text, length)).codes).toEqual([]);
    expect(await errorsOf(text, length + 2)).toEqual({ codes: ["QUERY_TOO_COMPLEX"], resolved: 0 });
  });

  it("are counted together", async () => {
    const twice = "{ note { a: tags b: tags } }";
    expect((await errorsOf(twice, 490)).codes).toEqual([]);
    expect((await errorsOf(twice, 600)).codes).toEqual(["QUERY_TOO_COMPLEX"]);
    const nested = "{ notes { edges { node { tags } } } }";
    expect((await errorsOf(nested, 80)).codes).toEqual([]);
    expect((await errorsOf(nested, 120)).codes.length).toBeGreaterThan(0);
  });

  it("count everything that is selected of their elements, by aliases too", async () => {
    const aliases = Array.from({ length: 100 }, (_, i) => `a${i}: x`).join(" ");
    expect((await errorsOf(`{ note { points { ${aliases} } } }`, 8)).codes).toEqual([]);
    const refused = await errorsOf(`{ note { points { ${aliases} } } }`, 12);
    expect(refused).toEqual({ codes: ["QUERY_TOO_COMPLEX"], resolved: 0 });
  });

  it("of an execution without a budget are not limited", async () => {
    expect((await errorsOf("{ note { tags points { x y } } }", 100_000, false)).codes).toEqual([]);
  });
});
