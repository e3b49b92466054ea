import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { READ_ONLY_KEY } from "../support/attempts.ts";
import { ALL_DATABASES, databaseEnv } from "../support/databases.ts";
import { envelope, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

describe.each(ALL_DATABASES)("text indexes on %s", (database) => {
  let purse: Purse;
  let locked: Purse;
  beforeAll(async () => {
    const env = { ...(await databaseEnv(database)), PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY };
    purse = await hostPurse({ env });
    locked = await hostPurse({ env: { ...(await databaseEnv(database)), PURSE_LOCK_SCHEMAS: "1" } });
    for (const server of [purse, locked]) {
      await rest(server, "POST", "/classes/Book", { title: "Coffee and cream" }, MASTER);
    }
  });
  afterAll(() => Promise.all([purse.remove(), locked.remove()]));

  const search = ($term: string): JsonObject => ({ title: { $text: { $search: { $term } } } });
  const indexesOf = async (server: Purse, className: string): Promise<string[]> => {
    const { body } = await rest(server, "GET", `/schemas/${className}`, undefined, MASTER);
    return Object.keys(Object(body.indexes)).filter((name) => name !== "_id_");
  };

  it("are not created by client queries, which are rejected with 102 without one", async () => {
    const { sessionToken } = await signUp(purse);
    const inner = { className: "Book", where: search("coffee") };
    const wheres: JsonObject[] = [
      search("coffee"),
      { $or: [search("coffee"), { title: "x" }] },
      { self: { $inQuery: inner } },
      { title: { $select: { key: "title", query: inner } } },
    ];
    for (const credentials of [{}, { sessionToken }]) {
      for (const where of wheres) {
        const found = await rest(purse, "GET", `/classes/Book${query({ where })}`, undefined, credentials);
        expect([where, found.status, found.body.code]).toEqual([where, 400, 102]);
        expect(found.body.error).toContain("text index required");
        const counted = query({ where, count: 1, limit: 0 });
        expect((await rest(purse, "GET", `/classes/Book${counted}`, undefined, credentials)).body.code).toBe(
          102,
        );
      }
    }
    expect(await indexesOf(purse, "Book")).toEqual([]);
    const hidden = await rest(
      purse,
      "GET",
      `/classes/_User${query({ where: { username: search("a").title } })}`,
    );
    expect(hidden.body.code).toBe(102);
    expect(await indexesOf(purse, "_User")).toEqual([]);
  });

  it("are created by the first client search with the Parse Server compatibility, one per class", async () => {
    const env = { ...(await databaseEnv(database)), PURSE_COMPATIBILITY: "parse" };
    const compatible = await hostPurse({ env });
    const find = async (className: string, where: JsonObject) =>
      (await rest(compatible, "GET", `/classes/${className}${query({ where })}`)).body;
    const fields = { title: "Coffee and cream", author: "Ada" };
    for (const className of ["Book", "Hidden"])
      await rest(compatible, "POST", `/classes/${className}`, fields, MASTER);
    await rest(compatible, "PUT", "/schemas/Hidden", { classLevelPermissions: {} }, MASTER);
    expect((await find("Book", search("coffee"))).results).toMatchObject([fields]);
    expect(await find("Book", { author: search("ada").title ?? null })).toMatchObject({ code: 102 });
    expect(await indexesOf(compatible, "Book")).toEqual(["title_text"]);
    expect(await find("Hidden", search("coffee"))).toMatchObject({ code: 119 });
    expect(await indexesOf(compatible, "Hidden")).toEqual([]);
    await compatible.remove();
  });

  it("are not created by the read-only key", async () => {
    const { body } = await envelope(purse, "/classes/Book", {
      _method: "GET",
      _MasterKey: READ_ONLY_KEY,
      where: search("coffee"),
    });
    expect(body.code).toBe(102);
    expect(await indexesOf(purse, "Book")).toEqual([]);
  });

  it("are not created by any query while schemas are locked", async () => {
    const { body } = await rest(
      locked,
      "GET",
      `/classes/Book${query({ where: search("coffee") })}`,
      undefined,
      MASTER,
    );
    expect(body.code).toBe(102);
    expect(await indexesOf(locked, "Book")).toEqual([]);
  });

  it("are created by a query with the master key, and used by clients afterwards", async () => {
    const path = `/classes/Book${query({ where: search("coffee") })}`;
    const made = await rest(purse, "GET", path, undefined, MASTER);
    expect(Object(made.body.results)).toHaveLength(1);
    expect(await indexesOf(purse, "Book")).toEqual(["title_text"]);
    const found = await rest(purse, "GET", path);
    expect(Object(found.body.results)).toHaveLength(1);
  });

  it("do not exist for fields without strings, whose search is rejected with 102", async () => {
    await rest(purse, "POST", "/classes/Count", { title: 5 }, MASTER);
    for (const credentials of [{}, MASTER]) {
      const { status, body } = await rest(
        purse,
        "GET",
        `/classes/Count${query({ where: search("5") })}`,
        undefined,
        credentials,
      );
      expect([status, body.code]).toEqual([400, 102]);
    }
  });
});
