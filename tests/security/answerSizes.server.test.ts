import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectMcp, createAccessToken } from "../support/mcpClient.ts";
import { mainThreadCpuMs, residentBytes } from "../support/processCpu.ts";
import { type PurseProcess, query, rest, startPurse } from "../support/purse.ts";
import { setUpStudio } from "../support/studio.ts";

const CODE = join(import.meta.dirname, "../fixtures/cloud/largeAnswers.mjs");
const MASTER = { useMasterKey: true };
const MB = 1024 * 1024;
/** Ten of them fit into a response. */
const TEXT = "x".repeat(100_000);

describe.each(DATABASES)("values that are in an answer more often than in the database on %s", (database) => {
  let purse: PurseProcess;
  let large: JsonObject;
  let wide: string;
  let lists: string[];

  beforeAll(async () => {
    purse = await startPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_CLOUD: CODE,
        PURSE_MAX_ANSWER_BYTES: String(MB),
        PURSE_GRAPHQL_PUBLIC_INTROSPECTION: "1",
      },
    });
    large = await create("Large", { text: TEXT, title: "t", nested: { text: TEXT } });
    const all = Array.from({ length: 100 }, () => large);
    wide = String((await create("Wide", { all, one: large })).objectId);
    const holder = { method: "POST", path: "/server/classes/Wide" };
    const requests = Array.from({ length: 59 }, () => ({ ...holder, body: { all, one: large } }));
    expect((await rest(purse, "POST", "/batch", { requests }, MASTER)).status).toBe(200);
    lists = [];
    for (let n = 0; n < 20; n++) lists.push(String((await create("List", { list: [TEXT] })).objectId));
    for (let n = 0; n < 20; n++) await create("Grown", { n });
  }, 120_000);
  afterAll(() => purse?.remove());

  const create = async (className: string, fields: object): Promise<JsonObject> => {
    const { status, body } = await rest(purse, "POST", `/classes/${className}`, fields);
    expect(status).toBe(201);
    return { __type: "Pointer", className, objectId: body.objectId ?? "" };
  };
  const get = (path: string, params: Record<string, unknown> = {}, credentials = {}) =>
    rest(purse, "GET", `${path}${query(params)}`, undefined, credentials);
  const graphql = async (text: string): Promise<{ errors?: JsonObject[]; data?: unknown }> => {
    const response = await fetch(`${purse.url}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Parse-Application-Id": purse.appId },
      body: JSON.stringify({ query: text }),
    });
    return JSON.parse(await response.text());
  };

  it.each<[string, () => ReturnType<typeof rest>]>([
    ["objects included by each item of lists", () => get("/classes/Wide", { include: "all", limit: 60 })],
    ["an object included by each row", () => get("/classes/Wide", { include: "one", limit: 60 })],
    ["an object included many times by one row", () => get(`/classes/Wide/${wide}`, { include: "all" })],
    ["everything that can be included", () => get("/classes/Wide", { include: "*", limit: 60 })],
    ["a selected field of included objects", () => get("/classes/Wide", { keys: "all.text", limit: 60 })],
    ["what a trigger adds to found objects", () => get("/classes/Grown")],
    ["the result of a function", () => rest(purse, "POST", "/functions/large", { texts: 20 })],
    ["includes of a query in a function", () => rest(purse, "POST", "/functions/include")],
    ["the result of an aggregation", () => get("/aggregate/List", {}, MASTER)],
  ])("are refused with 116: %s", async (_, send) => {
    const { status, body } = await send();
    expect({ status, code: body.code }).toEqual({ status: 400, code: 116 });
  });

  it("are refused before they are built, without much work or memory", async () => {
    const before = residentBytes(purse.pid);
    const cpuBefore = mainThreadCpuMs(purse.pid);
    for (let n = 0; n < 5; n++)
      expect((await get("/classes/Wide", { include: "all,one", limit: 60 })).body.code).toBe(116);
    expect(mainThreadCpuMs(purse.pid) - cpuBefore).toBeLessThan(1_000);
    expect(residentBytes(purse.pid) - before).toBeLessThan(100 * MB);
  });

  it("are counted for all requests of a batch together: reads, functions and what writes answer", async () => {
    const outcomesOf = async (requests: object[]) => {
      const { status, body } = await rest(purse, "POST", "/batch", { requests });
      expect(status).toBe(200);
      return (Array.isArray(body) ? body : []).map(({ error }) => error?.code ?? "ok");
    };
    const read = { method: "GET", path: `/server/classes/Large/${large.objectId}` };
    const call = { method: "POST", path: "/server/functions/large", body: { texts: 1 } };
    const writes = lists.map((id) => ({
      method: "PUT",
      path: `/server/classes/List/${id}`,
      body: { list: { __op: "AddUnique", objects: [1] } },
    }));
    for (const requests of [
      Array.from({ length: 20 }, () => read),
      Array.from({ length: 20 }, () => call),
      writes,
    ]) {
      const outcomes = await outcomesOf(requests);
      expect(new Set(outcomes)).toEqual(new Set(["ok", 116]));
    }
    const { results } = (await get("/classes/List", { where: { list: 1 }, keys: "objectId", limit: 5 })).body;
    expect(results).toHaveLength(5);
  });

  it.each<[string, string]>([
    ["aliases", `{ large(id: "ID") { ${Array.from({ length: 400 }, (_, n) => `a${n}: text`).join(" ")} } }`],
    [
      "aliases of objects",
      `{ large(id: "ID") { ${Array.from({ length: 50 }, (_, n) => `a${n}: nested`).join(" ")} } }`,
    ],
    ["pointers", "{ wides(first: 60) { edges { node { one { text } } } } }"],
  ])("are refused with 116 in answers of GraphQL: %s", async (_, text) => {
    const { errors, data } = await graphql(text.replace("ID", String(large.objectId)));
    expect(errors?.map(({ extensions }) => extensions)).toContainEqual({ code: 116 });
    expect(JSON.stringify(data ?? null).length).toBeLessThan(10_000);
  });

  it("are refused with 116 for AI tools and in the studio", async () => {
    const studio = await setUpStudio(purse);
    const operator = await connectMcp(purse, await createAccessToken(studio));
    const found = await operator.call("query_objects", { className: "Wide", include: ["all"], limit: 60 });
    expect(found).toMatchObject({ isError: true, text: expect.stringContaining("116") });
    const called = await studio.request("POST", "/functions/large", { params: { texts: 20 } });
    expect(called.text.length).toBeLessThan(10_000);
  });

  it("are complete up to the limit", async () => {
    const { status, body } = await get("/classes/Wide", { include: "one", keys: "one.text", limit: 9 });
    expect(status).toBe(200);
    expect(body.results).toHaveLength(9);
    expect(JSON.stringify(body.results).split(TEXT)).toHaveLength(10);
    const { data } = await graphql(
      `{ large(id: "${large.objectId}") { a: text b: text c: text d: nested } }`,
    );
    expect(data).toEqual({ large: { a: TEXT, b: TEXT, c: TEXT, d: { text: TEXT } } });
    expect((await rest(purse, "POST", "/functions/large", { texts: 9 })).body.result).toHaveLength(9);
  });

  it("do not count with fields that the answer does not have", async () => {
    for (const params of [{ keys: "one.title" }, { include: "one", excludeKeys: "one.text,one.nested" }]) {
      const { status, body } = await get("/classes/Wide", { ...params, limit: 60 });
      expect(status).toBe(200);
      expect(body.results).toMatchObject(Array.from({ length: 60 }, () => ({ one: { title: "t" } })));
    }
  });
});
