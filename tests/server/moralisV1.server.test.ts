import { request } from "node:http";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const CODE = join(import.meta.dirname, "../fixtures/cloud/moralisV1.mjs");
const MASTER = { useMasterKey: true };

describe.each(DATABASES)("what Moralis v1 documented, on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    const env = { ...(await databaseEnv(database)), PURSE_CLOUD: CODE, PURSE_NUMBER_DECIMALS: "1" };
    purse = await hostPurse({ env });
  });
  afterAll(() => purse?.remove());

  const call = async (name: string, params: object = {}) =>
    (await rest(purse, "POST", `/functions/${name}`, params, MASTER)).body;
  async function found(className: string, where: object = {}): Promise<JsonObject[]> {
    const path = `/classes/${className}${query({ where, order: "createdAt,objectId" })}`;
    const { body } = await rest(purse, "GET", path, undefined, MASTER);
    return Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
  }

  describe("a function called by GET", () => {
    async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
      const response = await fetch(`${purse.serverUrl}/functions/${path}`, { method, headers });
      const text = await response.text();
      const body: JsonObject = text === "" ? {} : JSON.parse(text);
      return { status: response.status, body, cache: response.headers.get("cache-control") };
    }

    it("gets the query parameters as text, without the application id", async () => {
      expect(await get(`Hello?_ApplicationId=${purse.appId}&name=CryptoChad`)).toEqual({
        status: 200,
        body: { result: "Hello CryptoChad! Cloud functions are cool!" },
        cache: "no-store",
      });
      const { body } = await get(`params?_ApplicationId=${purse.appId}&a=1&b=x%20y&a=2&c[]=3`);
      expect(body).toEqual({
        result: { params: { a: ["1", "2"], b: "x y", c: ["3"] }, user: null, master: false },
      });
    });

    it("is anonymous unless a header authenticates it: credentials in its URL are refused", async () => {
      const { sessionToken, id } = await signUp(purse);
      const application = `_ApplicationId=${purse.appId}`;
      expect((await get("params", { "x-parse-session-token": sessionToken })).body.result).toMatchObject({
        user: id,
      });
      for (const secret of [`_SessionToken=${sessionToken}`, `_MasterKey=${purse.masterKey}`]) {
        const { status, body } = await get(`params?${application}&${secret}`);
        expect([status, body.code]).toEqual([403, 119]);
      }
      expect((await get("Hello?_ApplicationId=other&name=X")).status).toBe(403);
    });

    it("counts toward the limits of calls by POST", async () => {
      expect((await get("limited")).status).toBe(200);
      expect((await get("limited")).status).toBe(429);
    });

    it("is not called by HEAD, and nothing else has effects by GET", async () => {
      expect((await get("Hello?name=X", {}, "HEAD")).status).toBe(405);
      const path = new URL(`${purse.serverUrl}/jobs/any`);
      const status = await new Promise((done) => {
        request(path, { headers: { "x-parse-application-id": purse.appId } }, (response) =>
          done(response.resume().statusCode),
        ).end();
      });
      expect(status).toBe(405);
    });
  });

  describe("the bulk functions", () => {
    const bulk = (operation: string, items: unknown, className = "Food") =>
      call("bulk", { operation, className, items });

    it("write, change and delete the first object or all objects of each filter", async () => {
      const names = ["Apple", "Apple", "Orange", "Lemon"];
      expect(
        await bulk(
          "bulkWrite",
          names.map((name) => ({ update: { name, color: "green" } })),
        ),
      ).toEqual({
        result: { insertedCount: 4, matchedCount: 0, modifiedCount: 0, deletedCount: 0 },
      });
      expect((await found("Food")).map(({ name, color }) => `${color} ${name}`).sort()).toEqual(
        names.map((name) => `green ${name}`).sort(),
      );
      const colors = async () => (await found("Food")).map(({ color }) => color).sort();

      await bulk("bulkUpdate", [
        { filter: { name: "Apple" }, update: { color: "red" } },
        { filter: { name: "Lemon" }, update: { color: "yellow" } },
        { filter: { name: "Melon" }, update: { color: "blue" } },
      ]);
      expect(await colors()).toEqual(["green", "green", "red", "yellow"]);
      const many = await bulk("bulkUpdateMany", [
        { filter: { color: "green" }, update: { color: "red" } },
        { filter: { color: "red" }, update: { color: "black" } },
      ]);
      expect(many.result).toMatchObject({ matchedCount: 5, modifiedCount: 5 });
      expect(await colors()).toEqual(["black", "black", "black", "yellow"]);

      const [first] = await found("Food", { name: "Orange" });
      expect((await bulk("bulkDelete", [{ filter: { name: "Apple" } }])).result).toMatchObject({
        deletedCount: 1,
      });
      await bulk("bulkDelete", [{ filter: { _id: first?.objectId ?? "" } }]);
      await bulk("bulkDeleteMany", [{ filter: { color: "black" } }, { filter: { color: "none" } }]);
      expect((await found("Food")).map(({ name }) => name)).toEqual(["Lemon"]);
      expect(await found("Log", { text: { $regex: "Food" } })).toEqual([]);
    });

    if (NIGHTLY)
      it("write thousands of objects, with pointers and dates", async () => {
        const items = Array.from({ length: 2_500 }, (_, n) => ({ update: { n } }));
        await bulk("bulkWrite", items, "Grain");
        const changes = items.map(({ update }) => ({ filter: update, update: { doubled: update.n * 2 } }));
        expect((await bulk("bulkUpdate", changes, "Grain")).result).toMatchObject({ modifiedCount: 2_500 });
        expect(await found("Grain", { n: 2_499 })).toMatchObject([{ doubled: 4_998 }]);
        expect(
          (await bulk("bulkDeleteMany", [{ filter: { n: { $gte: 0 } } }], "Grain")).result,
        ).toMatchObject({
          deletedCount: 2_500,
        });

        const { id } = await signUp(purse);
        expect((await call("bulkTyped", { className: "Typed", owner: id })).result).toMatchObject({
          modifiedCount: 1,
        });
        expect(await found("Typed")).toMatchObject([
          {
            found: true,
            owner: { __type: "Pointer", className: "_User", objectId: id },
            since: { __type: "Date" },
          },
        ]);
      });

    it("write nothing if one item is invalid", async () => {
      await bulk("bulkWrite", [{ update: { name: "kept" } }], "Plate");
      for (const [operation, item, code] of [
        ["bulkWrite", { update: { "bad name": 1 } }, 105],
        ["bulkWrite", { name: "kept" }, 107],
        ["bulkWrite", { filter: {}, update: {} }, 107],
        ["bulkUpdate", { update: { name: "x" } }, 107],
        ["bulkUpdateMany", { filter: { name: { $near: 1 } }, update: {} }, 102],
        ["bulkDeleteMany", { filter: { $or: [{ owner: { $inQuery: {} } }] } }, 102],
        ["bulkDeleteMany", "all", 107],
      ] as const) {
        const valid =
          operation === "bulkWrite" ? { update: { name: "new" } } : { filter: {}, update: { name: "x" } };
        const first = operation === "bulkDeleteMany" ? { filter: {} } : valid;
        expect([operation, (await bulk(operation, [first, item], "Plate")).code]).toEqual([operation, code]);
      }
      expect((await call("bulkUndefined", { className: "Plate" })).error).toMatch(/name of a filter/);
      expect((await found("Plate")).map(({ name }) => name)).toEqual(["kept"]);
    });
  });

  it("sends approximate integers of events as NumberDecimal, which compare and return as numbers", async () => {
    const event = { block_number: 1, transaction_hash: "0x1", price: "18446744073709551617" };
    const live = await connectLive(purse, { masterKey: purse.masterKey });
    await rest(purse, "POST", "/classes/Sales", { ...event, price_decimal: 1 }, MASTER);
    await live.subscribe("Sales");
    const sent = { ...event, price_decimal: Number(event.price), other_decimal: 3 };
    const { body } = await rest(purse, "POST", "/classes/Sales", sent, MASTER);
    const exact = { __type: "NumberDecimal", value: { $numberDecimal: event.price } };
    const path = `/classes/Sales/${body.objectId}`;
    expect((await rest(purse, "GET", path, undefined, MASTER)).body).toMatchObject({
      price_decimal: exact,
      other_decimal: 3,
      seenBefore: `${event.price},`,
    });
    expect(await live.next()).toMatchObject({ op: "create", object: { price_decimal: exact } });
    live.socket.terminate();

    // What a client sends back is stored as a number again.
    await rest(purse, "PUT", path, { price_decimal: exact, note: "sent back" }, MASTER);
    const [sale] = await found("Sales", { note: "sent back" });
    expect(sale).toMatchObject({ price_decimal: exact, seenBefore: `${event.price},${event.price}` });
    expect(await found("Sales", { price_decimal: exact })).toHaveLength(1);
    expect((await call("sales")).result).toEqual([[event.price], 1]);
    expect(await found("Log", { text: `afterSave ${event.price}` })).toHaveLength(2);
    expect(await found("Sales", { price_decimal: { $lt: 5 } })).toMatchObject([
      { price_decimal: { value: { $numberDecimal: "1" } } },
    ]);
    const response = await fetch(`${purse.url}/graphql`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-parse-application-id": purse.appId,
        "x-parse-master-key": purse.masterKey,
      },
      body: JSON.stringify({ query: `{ sales(id: "${body.objectId}") { price price_decimal } }` }),
    });
    expect(await response.json()).toEqual({
      data: { sales: { price: event.price, price_decimal: Number(event.price) } },
    });
  });
});
