import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

interface GraphqlAnswer {
  status: number;
  body: {
    data?: Record<string, unknown> | null;
    errors?: { message: string; extensions?: { code?: unknown } }[];
    code?: number;
  };
}

describe("abuse of GraphQL", () => {
  let purse: Purse;
  let sessionToken: string;
  beforeAll(async () => {
    purse = await hostPurse({ env: { PURSE_GRAPHQL_PUBLIC_INTROSPECTION: "0" } });
    const fields = { title: { type: "String" }, next: { type: "Pointer", targetClass: "Chain" } };
    const links = { others: { type: "Relation", targetClass: "Chain" } };
    await rest(purse, "POST", "/schemas/Chain", { fields: { ...fields, ...links } }, { useMasterKey: true });
    // Users may upload files, others may not.
    const uploader = { username: "uploader", password: "a long password" };
    sessionToken = String((await rest(purse, "POST", "/users", uploader)).body.sessionToken);
  });
  afterAll(() => purse.remove());

  async function send(body: unknown, headers: Record<string, string> = {}): Promise<GraphqlAnswer> {
    const response = await fetch(`${purse.url}/graphql`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Parse-Application-Id": purse.appId,
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }
  const codes = ({ body }: GraphqlAnswer) => body.errors?.map(({ extensions }) => extensions?.code);
  const nested = (levels: number, inner: string): string =>
    levels === 0 ? inner : `next { ${nested(levels - 1, inner)} }`;

  it("rejects operations that are too deep, too wide or read too much", async () => {
    const deep = await send({ query: `{ chains { edges { node { ${nested(60, "title")} } } } }` });
    expect([deep.status, codes(deep)]).toEqual([400, ["QUERY_TOO_COMPLEX"]]);
    const aliases = Array.from({ length: 1_000 }, (_, i) => `a${i}: health`).join(" ");
    expect(codes(await send({ query: `{ ${aliases} }` }))).toEqual(["QUERY_TOO_COMPLEX"]);
    const pages =
      "chains(first: 1000) { edges { node { others(first: 1000) { edges { node { title } } } } } }";
    expect(codes(await send({ query: `{ ${pages} }` }))).toEqual(["QUERY_TOO_COMPLEX"]);
    const byVariable = {
      query: `query ($n: Int) { ${pages.replaceAll("1000", "$n")} }`,
      variables: { n: 1000 },
    };
    expect(codes(await send(byVariable))).toEqual(["QUERY_TOO_COMPLEX"]);
  });

  it("rejects fragments that expand exponentially without executing them", async () => {
    const doubling = Array.from(
      { length: 40 },
      (_, i) => `fragment F${i} on Query { ${i === 39 ? "health" : `...F${i + 1} ...F${i + 1}`} }`,
    );
    const grown = await send({ query: `{ ...F0 } ${doubling.join(" ")}` });
    expect(codes(grown)).toEqual(["QUERY_TOO_COMPLEX"]);
    const circle = "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }";
    expect(codes(await send({ query: circle }))).toContain("GRAPHQL_VALIDATION_FAILED");
  });

  it("allows only as many logins in one request as in a batch", async () => {
    const credentials = 'username: "frequent", password: "a long password"';
    await rest(purse, "POST", "/users", { username: "frequent", password: "a long password" });
    const logIns = Array.from(
      { length: 40 },
      (_, i) => `l${i}: logIn(input: { ${credentials} }) { viewer { sessionToken } }`,
    );
    const { body } = await send({
      query: `mutation { ...Many } fragment Many on Mutation { ${logIns.join(" ")} }`,
    });
    const succeeded = Object.values(body.data ?? {}).filter((each) => each !== null);
    expect(succeeded).toHaveLength(20);
  });

  const chained = (count: number) =>
    Array.from({ length: count }, (_, i) => `fragment F${i} on Query { ...F${i + 1} }`).join(" ");

  it.each<[string, string]>([
    ["too many tokens", `{ ${"a ".repeat(60_000)} }`],
    ["selections that are nested too deeply for a parser", `${"{a".repeat(3_000)}${"}".repeat(3_000)}`],
    [
      "lists that are nested too deeply for a parser",
      `{ health(a: ${"[".repeat(4_000)}${"]".repeat(4_000)}) }`,
    ],
    ["a long chain of fragments", `{ ...F0 } ${chained(2_000)} fragment F2000 on Query { health }`],
  ])("rejects %s with 400", async (_, query) => {
    const { status, body } = await send({ query });
    expect([status, body.errors?.length, body.data]).toEqual([400, 1, undefined]);
    expect(body.errors?.[0]?.message).not.toContain("call stack");
  });

  it.each<[string, (form: FormData) => void]>([
    ["too many parts", (form) => Array.from({ length: 200 }, (_, i) => form.append(`p${i}`, "x"))],
    ["an operation that is too long", (form) => form.set("operations", " ".repeat(2_000_000))],
    ["an operation that is nested too deeply", (form) => form.set("operations", "[".repeat(1_000))],
    ["a map that is nested too deeply", (form) => form.set("map", "[".repeat(1_000))],
    ["a map with a very long path", (form) => form.set("map", JSON.stringify({ f: ["a.".repeat(5_000)] }))],
    ["a map without lists", (form) => form.set("map", JSON.stringify({ f: 1 }))],
  ])("rejects forms with %s with 400", async (_, spoil) => {
    const form = new FormData();
    form.set("operations", JSON.stringify({ query: "{ health }" }));
    form.set("map", "{}");
    const headers = { "X-Parse-Application-Id": purse.appId, "X-Parse-Session-Token": sessionToken };
    const post = (body: FormData) => fetch(`${purse.url}/graphql`, { method: "POST", headers, body });
    expect(await (await post(form)).json()).toEqual({ data: { health: true } });
    spoil(form);
    expect((await post(form)).status).toBe(400);
  });

  it("rejects arrays of operations", async () => {
    expect((await send([{ query: "{ health }" }, { query: "{ health }" }])).status).toBe(400);
  });

  it("reveals the schema only to the master key, and suggests no names", async () => {
    const query = "{ __schema { types { name } } }";
    expect((await send({ query })).status).toBe(400);
    expect((await send({ query: '{ __type(name: "User") { name } }' })).status).toBe(400);
    const masterKey = { "X-Parse-Master-Key": purse.masterKey };
    expect((await send({ query }, masterKey)).body.data).toHaveProperty("__schema");
    const { body } = await send({ query: "{ chain { title } chainz { count } }" });
    expect(JSON.stringify(body)).not.toContain("Did you mean");
  });

  it("rejects requests that a page of another origin can send without a preflight", async () => {
    const query = 'mutation { createChain(input: { fields: { title: "forged" } }) { chain { id } } }';
    const plain = await fetch(`${purse.url}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "text/plain" },
      body: JSON.stringify({ query, _ApplicationId: purse.appId }),
    });
    expect(plain.status).toBe(403);
    const search = new URLSearchParams({ query, _ApplicationId: purse.appId });
    expect((await fetch(`${purse.url}/graphql?${search}`)).status).toBe(403);
    const headers = { "X-Parse-Application-Id": purse.appId };
    expect((await fetch(`${purse.url}/graphql?${search}`, { headers })).status).toBe(405);
    const form = new FormData();
    form.set("operations", JSON.stringify({ query }));
    form.set("map", "{}");
    expect((await fetch(`${purse.url}/graphql`, { method: "POST", body: form })).status).toBe(403);
    const text = await send(JSON.stringify({ query }), { "Content-Type": "text/plain" });
    expect(text.status).toBe(415);
    const { body } = await rest(purse, "GET", "/classes/Chain");
    expect(body.results).toEqual([]);
  });

  it("denies users access to objects and accounts of others and to classes of operators", async () => {
    const signUp = async (username: string) =>
      (await rest(purse, "POST", "/users", { username, password: "a long password" })).body;
    const [victim, thief] = [await signUp("victim"), await signUp("thief")];
    const headers = { "X-Parse-Session-Token": String(thief.sessionToken) };
    const update = `mutation { updateUser(input: { id: "${victim.objectId}", fields: { password: "stolen password" } }) { user { id } } }`;
    expect((await send({ query: update }, headers)).body.errors).toHaveLength(1);
    const logIn = await rest(purse, "POST", "/login", { username: "victim", password: "a long password" });
    expect(logIn.status).toBe(200);
    const sessions = await send(
      { query: "{ sessions { edges { node { sessionToken user { objectId } } } } }" },
      headers,
    );
    expect(JSON.stringify(sessions.body)).not.toContain(String(victim.sessionToken));
    const schema = 'mutation { createClass(input: { name: "Mine" }) { class { name } } }';
    expect(codes(await send({ query: schema }, headers))).toEqual([119]);
    const wrongKey = await send({ query: schema }, { "X-Parse-Master-Key": "not the master key" });
    expect([wrongKey.status, wrongKey.body.code]).toEqual([403, 119]);
    for (const name of ["apiKeys", "globalConfigs", "hooks", "graphQLConfigs"])
      expect(codes(await send({ query: `{ ${name} { count } }` }))).toEqual(["GRAPHQL_VALIDATION_FAILED"]);
  });

  it("answers persisted queries by their hash", async () => {
    const query = "{ health }";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(query));
    const extensions = { persistedQuery: { version: 1, sha256Hash: Buffer.from(digest).toString("hex") } };
    const unknown = await send({ extensions });
    expect(unknown.body.errors?.[0]?.message).toBe("PersistedQueryNotFound");
    expect((await send({ query, extensions })).body.data).toEqual({ health: true });
    expect((await send({ extensions })).body.data).toEqual({ health: true });
    const forged = { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } };
    expect((await send({ query, extensions: forged })).body.data).toBeUndefined();
  });
});
