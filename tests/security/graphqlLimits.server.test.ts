import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

const CHANGES = "subscription { jotChanged { node { title } } }";

interface Operation {
  query: string;
  variables?: Record<string, unknown>;
}

interface Errors {
  /** The length of the answer. */
  chars: number;
  errors: { message: string; extensions?: { code?: unknown } }[];
}

const many = (count: number, partOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => partOf(index)).join(" ");
const conditions = (count: number) => ({
  OR: Array.from({ length: count }, (_, i) => ({ title: { equalTo: `title ${i}` } })),
});

/** Operations that are refused before anything runs, of which a query and a subscription are made. */
const TOO_LARGE: [string, (root: (args: string) => string) => Operation][] = [
  [
    "a variable with 900 conditions at 100 places",
    (root) => ({
      query: `query($w: JotWhereInput) { ${many(100, (i) => `a${i}: ${root("where: $w")}`)} }`,
      variables: { w: conditions(900) },
    }),
  ],
  [
    "a list of 19,000 texts at 90 places in an inline fragment",
    (root) => ({
      query: `query($w: JotWhereInput) { ... on Query { ${many(90, (i) => `a${i}: ${root("where: $w")}`)} } }`,
      variables: { w: { title: { in: Array.from({ length: 19_000 }, (_, i) => `t${i}`) } } },
    }),
  ],
  [
    "a default value at 100 places",
    (root) => ({
      query: `query($w: JotWhereInput = { OR: [${many(300, (i) => `{ title: { equalTo: "${i}" } }`)}] }) { ${many(100, (i) => `a${i}: ${root("where: $w")}`)} }`,
    }),
  ],
  [
    "values in a fragment that is used at 100 places",
    (root) => ({
      query: `{ ${many(50, (i) => `... on Query { a${i}: health ...F }`)} } fragment F on Query { ${root(`where: { title: { in: [${many(2_000, (i) => `"${i}"`)}] } }`)} }`,
    }),
  ],
  [
    "400 fields in an inline fragment",
    () => ({ query: `{ ... on Query { ${many(400, (i) => `a${i}: health`)} } }` }),
  ],
  [
    "400 fields in fragments",
    () => ({
      query: `{ ...F } fragment F on Query { ...G } fragment G on Query { ${many(400, (i) => `a${i}: health`)} }`,
    }),
  ],
  [
    "1,600 fields of the same name",
    () => ({ query: `{ jot(id: "x") { ${"next { title } ".repeat(1_600)} } }` }),
  ],
  [
    "490 fragments in one selection",
    () => ({
      query: `{ jot(id: "x") { ${many(490, (i) => `...F${i}`)} } } ${many(490, (i) => `fragment F${i} on Jot { title next { title } }`)}`,
    }),
  ],
  ["a long document of comments", () => ({ query: `${"#\n".repeat(150_000)}{ health }` })],
  ["a document of 20,000 comments", () => ({ query: `${"#\n".repeat(20_000)}{ health }` })],
  [
    "a fragment without use",
    () => ({ query: `{ health } fragment F on Jot { ${"next { title } ".repeat(1_600)} }` }),
  ],
];

/** How an operation begins and selects: over a WebSocket it is a subscription. */
interface Form {
  head: string;
  list(args: string): string;
  one(fields: string): string;
}
const QUERY: Form = {
  head: "query",
  list: (args) => `jots${args} { count }`,
  one: (fields) => `jot(id: "x") { ${fields} }`,
};
const SUBSCRIPTION: Form = {
  head: "subscription",
  list: (args) => `jotChanged${args} { event }`,
  one: (fields) => `jotChanged { node { ${fields} } }`,
};
type OperationOf = (form: Form) => Operation;

/** An operation with a variable for its conditions. */
const withWhere =
  (w: Record<string, unknown>): OperationOf =>
  ({ head, list }) => ({
    query: `${head}($w: JotWhereInput) { ${list("(where: $w)")} }`,
    variables: { w },
  });
const unknownKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

/** Operations whose errors would repeat what they contain. */
const INVALID: [string, OperationOf][] = [
  ["a variable with 10,000 unknown keys", withWhere(unknownKeys(10_000))],
  [
    "a variable with a long text and 60 unknown keys",
    withWhere({ big: "x".repeat(100_000), ...unknownKeys(60) }),
  ],
  ["a long text instead of a date", withWhere({ createdAt: { equalTo: "x".repeat(100_000) } })],
  [
    "1,500 unknown fields",
    ({ head, one }) => ({ query: `${head} { ${one(many(1_500, (i) => `titl${i}`))} }` }),
  ],
  ["a long name", ({ head, one }) => ({ query: `${head} { ${one("titl".repeat(50_000))} }` })],
  [
    "a long text instead of a condition",
    ({ head, list }) => ({ query: `${head} { ${list(`(where: "${"x".repeat(100_000)}")`)} }` }),
  ],
];

/** Operations with a name that is nearly right. */
const NEARLY_RIGHT: [string, OperationOf][] = [
  ["a field", ({ head, one }) => ({ query: `${head} { ${one("titl")} }` })],
  ["a root field", ({ head, list }) => ({ query: `${head} { ${list("").replace("jot", "jott")} }` })],
  ["an argument", ({ head, list }) => ({ query: `${head} { ${list("(wher: {})")} }` })],
  ["a type", ({ head, one }) => ({ query: `${head} { ${one("... on Jott { objectId }")} }` })],
  [
    "a key of an inline value",
    ({ head, list }) => ({ query: `${head} { ${list("(where: { titl: {} })")} }` }),
  ],
  ["a key of a variable", withWhere({ titl: {} })],
  ["a key in a variable", withWhere({ AND: [{ titl: {} }] })],
  [
    "the type of a variable",
    ({ head, list }) => ({
      query: `${head}($w: JotWhereInpu) { ${list("(where: $w)")} }`,
      variables: { w: {} },
    }),
  ],
  [
    "a key of a default value",
    ({ head, list }) => ({ query: `${head}($w: JotWhereInput = { titl: {} }) { ${list("(where: $w)")} }` }),
  ],
];
const NEARLY_RIGHT_ENUMS: [string, Operation][] = [
  ["an inline value", { query: "{ jots(order: [titl_ASC]) { count } }" }],
  [
    "a variable",
    { query: "query($o: [JotOrder!]) { jots(order: $o) { count } }", variables: { o: ["titl_ASC"] } },
  ],
];

describe.each(DATABASES)("the limits of GraphQL on %s", (database) => {
  let purse: Purse;
  const open: WebSocket[] = [];
  beforeAll(async () => {
    const env = await databaseEnv(database);
    purse = await hostPurse({ env: { ...env, PURSE_GRAPHQL_PUBLIC_INTROSPECTION: "0" } });
    const fields = {
      title: { type: "String" },
      next: { type: "Pointer", targetClass: "Jot" },
      others: { type: "Relation", targetClass: "Jot" },
      list: { type: "Array" },
      area: { type: "Polygon" },
    };
    await rest(purse, "POST", "/schemas/Jot", { fields }, { useMasterKey: true });
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.terminate();
  });
  afterAll(() => purse.remove());

  async function post(operation: Operation): Promise<Errors & { status: number }> {
    const response = await fetch(`${purse.url}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Parse-Application-Id": purse.appId },
      body: JSON.stringify(operation),
    });
    const text = await response.text();
    return { status: response.status, chars: text.length, errors: JSON.parse(text).errors ?? [] };
  }

  /** A connection of graphql-ws without a session, with what it has received. */
  async function connect() {
    const socket = new WebSocket(`${purse.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    open.push(socket);
    const received: { type: string; id?: string; payload?: unknown }[] = [];
    const state = { closedWith: 0, chars: 0 };
    socket.on("message", (data) => {
      const text = String(data);
      state.chars += text.length;
      received.push(JSON.parse(text));
    });
    socket.on("close", (code) => {
      state.closedWith = code;
    });
    socket.on("error", () => undefined);
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send(
      JSON.stringify({ type: "connection_init", payload: { "X-Parse-Application-Id": purse.appId } }),
    );
    await expect.poll(() => received.some(({ type }) => type === "connection_ack")).toBe(true);
    received.length = 0;
    state.chars = 0;
    const subscribe = (id: string, payload: Operation) =>
      socket.send(JSON.stringify({ id, type: "subscribe", payload }));
    return { socket, received, state, subscribe };
  }

  /** The errors of an operation over a WebSocket. */
  async function errorsOf(operation: Operation): Promise<Errors> {
    const { subscribe, received, state } = await connect();
    subscribe("1", operation);
    await expect.poll(() => received.length + state.closedWith).toBeGreaterThan(0);
    // graphql-ws sends errors of variables as a result.
    const payload = received[0]?.payload as Errors["errors"] | Pick<Errors, "errors">;
    return { chars: state.chars, errors: "errors" in payload ? payload.errors : payload };
  }

  const ways: [string, (operation: Operation) => Promise<Errors>, Form][] = [
    ["HTTP", post, QUERY],
    ["a WebSocket", errorsOf, SUBSCRIPTION],
  ];
  const isSmall = (operation: Operation) => JSON.stringify(operation).length < 200_000;
  const pairsOf = <Row extends [string, ...unknown[]]>(
    rows: Row[],
    isSent: (row: Row) => boolean = () => true,
  ) =>
    ways.flatMap(([way, send, form]) =>
      rows
        .filter((row) => way === "HTTP" || isSent(row))
        .map((row) => [row[0], way, row, send, form] as const),
    );

  it.each(pairsOf(TOO_LARGE, ([, operationOf]) => isSmall(operationOf((args) => `jots(${args}) { count }`))))(
    "refuses %s over %s",
    async (_, _way, [, operationOf], send) => {
      const { errors, chars } = await send(operationOf((args) => `jots(${args}) { count }`));
      expect(errors).toHaveLength(1);
      expect(chars).toBeLessThan(1_000);
      expect(["QUERY_TOO_COMPLEX", "GRAPHQL_VALIDATION_FAILED"]).toContain(errors[0]?.extensions?.code);
    },
  );

  it("refuses a mutation whose variable would store more than a request may send", async () => {
    const { errors } = await post({
      query: `mutation($i: CreateJotInput!) { ${many(20, (i) => `a${i}: createJot(input: $i) { jot { id } }`)} }`,
      variables: { i: { fields: { title: "x".repeat(300_000) } } },
    });
    expect(errors.map(({ extensions }) => extensions?.code)).toEqual(["QUERY_TOO_COMPLEX"]);
    expect((await rest(purse, "GET", "/classes/Jot?limit=0&count=1")).body.count).toBe(0);
  });

  it("refuses an answer that repeats a value more often than a response may be long", async () => {
    const { body } = await rest(purse, "POST", "/classes/Jot", { title: "x".repeat(500_000) });
    const response = await fetch(`${purse.url}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Parse-Application-Id": purse.appId },
      body: JSON.stringify({
        query: `{ jot(id: "${body.objectId}") { ${many(300, (i) => `a${i}: title`)} } }`,
      }),
    });
    expect(await response.json()).toMatchObject({ data: null, errors: [{ extensions: { code: 116 } }] });
    await rest(purse, "DELETE", `/classes/Jot/${body.objectId}`);
  });

  it("refuses to resolve lists with more values than a page may have, also of events", async () => {
    const numbers = { list: Array.from({ length: 10_000 }, (_, i) => i) };
    const { body } = await rest(purse, "POST", "/classes/Jot", numbers);
    const corners = Array.from({ length: 900 }, (_, i) => [(i % 30) + 1, Math.floor(i / 30) + 1]);
    const area = { area: { __type: "Polygon", coordinates: [[0, 0], ...corners, [0, 40]] } };
    const polygon = await rest(purse, "POST", "/classes/Jot", area);
    const values = many(400, (i) => `a${i}: value`);
    const relations = many(20, (i) => `a${i}: others(first: ${i + 1}) { count }`);
    for (const query of [
      `{ jot(id: "${body.objectId}") { list { ... on Element { ${values} } } } }`,
      `{ jot(id: "${body.objectId}") { ${many(20, (i) => `a${i}: list { ... on Element { value } }`)} } }`,
      `{ jot(id: "${body.objectId}") { ...F } } fragment F on Jot { list { ... on Jot { ${relations} } } }`,
      `{ jot(id: "${polygon.body.objectId}") { area { ${many(400, (i) => `a${i}: latitude`)} } } }`,
    ]) {
      const { errors } = await post({ query });
      expect([query.slice(0, 60), errors[0]?.extensions?.code]).toEqual([
        query.slice(0, 60),
        "QUERY_TOO_COMPLEX",
      ]);
    }
    const plain = `{ jot(id: "${body.objectId}") { list { ... on Element { value } } } }`;
    expect((await post({ query: plain })).errors).toEqual([]);
    const { subscribe, received } = await connect();
    subscribe("1", {
      query: `subscription { jotChanged { node { list { ... on Element { ${values} } } } } }`,
    });
    await expect
      .poll(async () => {
        await rest(purse, "PUT", `/classes/Jot/${body.objectId}`, { title: crypto.randomUUID() });
        return JSON.stringify(received);
      })
      .toContain("QUERY_TOO_COMPLEX");
    for (const { objectId } of [body, polygon.body]) await rest(purse, "DELETE", `/classes/Jot/${objectId}`);
  });

  it.each([
    ["a default value", "query($n: Int = 10000)", "first: $n"],
    ["a cursor", "query", `before: "${Buffer.from("arrayconnection:10000").toString("base64")}"`],
  ])("refuses pages within pages whose size is %s", async (_, head, size) => {
    const { errors } = await post({
      query: `${head} { jots(${size}) { edges { node { others(${size}) { edges { node { title } } } } } } }`,
    });
    expect(errors.map(({ extensions }) => extensions?.code)).toEqual(["QUERY_TOO_COMPLEX"]);
  });

  it.each(pairsOf(INVALID))(
    "answers %s over %s with a few short errors",
    async (_, _way, [, operationOf], send, form) => {
      const { errors, chars } = await send(operationOf(form));
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.length).toBeLessThanOrEqual(11);
      expect(chars).toBeLessThan(8_000);
    },
  );

  it("answers an operation that fails at thousands of places with a few errors", async () => {
    const objects = Array.from({ length: 40 }, () => ({
      method: "POST",
      path: "/server/classes/Jot",
      body: {},
    }));
    await rest(purse, "POST", "/batch", { requests: objects });
    const bad = 'others(where: { title: { matchesRegex: "[" } }) { count }';
    const { errors } = await post({
      query: `{ jots { edges { node { ${many(20, (i) => `a${i}: ${bad}`)} } } } }`,
    });
    expect(errors).toHaveLength(11);
    expect(errors.at(-1)?.message).toBe("More errors were left out.");
  });

  it.each(pairsOf(NEARLY_RIGHT))(
    "suggests nothing for %s over %s",
    async (_, _way, [, operationOf], send, form) => {
      expectNoNames((await send(operationOf(form))).errors);
    },
  );

  it.each(NEARLY_RIGHT_ENUMS)("suggests nothing for an enum in %s", async (_, operation) => {
    expectNoNames((await post(operation)).errors);
  });

  function expectNoNames(errors: Errors["errors"]): void {
    expect(errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(errors)).not.toContain("WebSocket");
    expect(JSON.stringify(errors)).not.toMatch(/Did you mean|title/);
  }

  it("tells no text of the JavaScript engine about values that cannot be converted", async () => {
    const { errors } = await post({
      query: "query($w: JotWhereInput) { jots(where: $w) { count } }",
      variables: { w: { createdAt: { equalTo: { toString: 1 } } } },
    });
    expect(JSON.stringify(errors)).not.toMatch(/primitive|encountered error/);
  });

  it("rejects forms of clients who may not upload files before it has received them", async () => {
    const response = await fetch(`${purse.url}/graphql`, {
      method: "POST",
      headers: {
        "Content-Type": "multipart/form-data; boundary=abc",
        "X-Parse-Application-Id": purse.appId,
      },
      body: "this is not even a form",
    });
    expect(await response.json()).toMatchObject({ code: 130 });
  });

  describe("of a WebSocket", () => {
    it.each<[string, string, number]>([
      ["many small messages", JSON.stringify({ type: "ping" }), 3_000],
      ["large messages", JSON.stringify({ type: "ping", payload: { text: "x".repeat(250_000) } }), 20],
      [
        "subscriptions that are refused",
        JSON.stringify({
          type: "subscribe",
          id: "1",
          payload: { query: `subscription { ${"x ".repeat(5_000)} }` },
        }),
        300,
      ],
    ])("close it with 1008 after %s, as those of live queries", async (_, message, count) => {
      const { socket, state } = await connect();
      for (let i = 0; i < count; i++) socket.send(message.replace('"id":"1"', `"id":"${i}"`));
      await expect.poll(() => state.closedWith).toBe(1008);
    });

    it("close it with 1008 after many pongs that answer no ping", async () => {
      const { socket, state } = await connect();
      for (let i = 0; i < 3_000; i++) socket.pong();
      await expect.poll(() => state.closedWith).toBe(1008);
    });

    it("close it with 1008 after many pings of the protocol, which are answered", async () => {
      const { socket, state } = await connect();
      socket.on("pong", () => socket.ping());
      for (let i = 0; i < 10; i++) socket.ping();
      await expect.poll(() => state.closedWith).toBe(1008);
    });

    it("close it with 4400 for a message with too many values, as JSON", async () => {
      const { socket, state } = await connect();
      socket.send(
        JSON.stringify({ type: "ping", payload: { list: Array.from({ length: 60_000 }, () => 1) } }),
      );
      await expect.poll(() => state.closedWith).toBe(4400);
    });

    it("send an event to each of several identical subscriptions, as long as they last", async () => {
      const { subscribe, received, socket } = await connect();
      for (const id of ["1", "2", "3"]) subscribe(id, { query: CHANGES });
      await eventsOf(received, 3);
      expect(new Set(received.map(({ id }) => id))).toEqual(new Set(["1", "2", "3"]));
      for (const id of ["1", "2"]) socket.send(JSON.stringify({ type: "complete", id }));
      subscribe("4", { query: CHANGES });
      // None of the earlier objects is received by the new subscription.
      await expect
        .poll(async () => {
          received.length = 0;
          await eventsOf(received, 2);
          return [...new Set(received.map(({ id }) => id))].sort();
        })
        .toEqual(["3", "4"]);
    });

    /** Creates objects until the connection has received one of them for so many of its subscriptions. */
    async function eventsOf(received: { payload?: unknown }[], count: number): Promise<void> {
      const ofOneObject = () =>
        Object.values(Object.groupBy(received, ({ payload }) => JSON.stringify(payload))).map(
          (events) => events?.length ?? 0,
        );
      await expect
        .poll(async () => {
          await rest(purse, "POST", "/classes/Jot", { title: `event ${crypto.randomUUID()}` });
          return Math.max(0, ...ofOneObject());
        })
        .toBeGreaterThanOrEqual(count);
    }

    it("end subscriptions with 124 whose events take too many queries to resolve", async () => {
      const { body } = await rest(purse, "POST", "/classes/Jot", { title: "target" });
      const members = await rest(purse, "GET", "/classes/Jot?limit=40&keys=objectId");
      const objects = (Array.isArray(members.body.results) ? members.body.results : []).map(
        (each: unknown) => ({
          __type: "Pointer",
          className: "Jot",
          objectId: (each as { objectId: string }).objectId,
        }),
      );
      await rest(purse, "PUT", `/classes/Jot/${body.objectId}`, { others: { __op: "AddRelation", objects } });
      const { subscribe, received } = await connect();
      const inner = many(20, (i) => `a${i}: others(first: 1) { count }`);
      const query = (i: number) =>
        `subscription { jotChanged(where: { objectId: { equalTo: "${body.objectId}" } }) { node { x${i}: title others(first: 40) { edges { node { ${inner} } } } } } }`;
      for (let i = 0; i < 60; i++) subscribe(`${i}`, { query: query(i) });
      await expect
        .poll(
          async () => {
            await rest(purse, "PUT", `/classes/Jot/${body.objectId}`, { title: "changed" });
            return JSON.stringify(received.filter(({ type }) => type === "error"));
          },
          { timeout: 60_000 },
        )
        .toContain('"code":124');
    });
  });
});
