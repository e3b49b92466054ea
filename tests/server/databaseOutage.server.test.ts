import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type PostgresProxy, startPostgresProxy } from "../support/postgresProxy.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import { newStartedDatabase } from "../support/startedDatabase.ts";

const WRITES = 20;

// failover.nightly.alone.test.ts has what takes longer.
describe("a server between which and PostgreSQL the network fails", () => {
  let purse: Purse;
  let proxy: PostgresProxy;
  let id: string;
  beforeAll(async () => {
    const url = await newStartedDatabase(inject("postgresUrl"));
    proxy = await startPostgresProxy(url);
    purse = await hostPurse({ env: { PURSE_DATABASE_URL: proxy.url(url), PURSE_DATABASE_CONNECTIONS: "4" } });
    id = String((await rest(purse, "POST", "/classes/Post", { n: 0 })).body.objectId);
  });
  afterAll(async () => {
    await purse?.remove();
    await proxy?.close();
  });
  const number = async () => (await rest(purse, "GET", `/classes/Post/${id}`)).body.n;

  it("executes each of the requests once whose connections hang", async () => {
    proxy.freeze();
    const increment = { n: { __op: "Increment", amount: 1 } };
    const writes = Array.from({ length: WRITES }, () => rest(purse, "PUT", `/classes/Post/${id}`, increment));
    proxy.thaw();
    const answers = await Promise.all(writes);
    expect(answers.map(({ status }) => status)).toEqual(Array(WRITES).fill(200));
    expect(await number()).toBe(WRITES);
  });

  it("rejects with 503 while its connections break, and writes again afterwards", async () => {
    proxy.break();
    const refused = () => rest(purse, "POST", "/classes/Post", { n: 1 });
    await expect.poll(async () => (await refused()).body).toMatchObject({ code: 100 });
    expect((await fetch(`${purse.url}/ready`)).status).toBe(503);
    proxy.restore();
    await expect.poll(async () => (await refused()).status, { timeout: 30_000 }).toBe(201);
    expect(await number()).toBe(WRITES);
  });
});
