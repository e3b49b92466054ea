import { randomUUID } from "node:crypto";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest } from "../support/purse.ts";

describe.each(ALL_DATABASES)("batches on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
  });
  afterAll(() => purse.remove());

  const create = (fields: JsonObject, className = "Part") => ({
    method: "POST",
    path: `/server/classes/${className}`,
    body: fields,
  });
  const batch = (requests: JsonObject[], transaction = false) =>
    rest(purse, "POST", "/batch", { requests, transaction });
  const count = async (where: JsonObject) => {
    const { body } = await rest(purse, "GET", `/classes/Part${query({ where, count: 1, limit: 0 })}`);
    return body.count;
  };

  it("return a result for each request", { tags: ["7.batch"] }, async () => {
    const { body } = await batch([create({ kind: "plain" }), create({ kind: 5 }), create({ kind: "plain" })]);
    expect(body).toEqual([
      { success: { objectId: expect.any(String), createdAt: expect.any(String) } },
      { error: { code: 111, error: expect.stringContaining("schema mismatch") } },
      { success: expect.anything() },
    ]);
    expect(await count({ kind: "plain" })).toBe(2);
  });

  it("return the results in the order of the requests", async () => {
    const { body: first } = await rest(purse, "POST", "/classes/Part", { kind: "mixed" });
    const path = `/server/classes/Part/${first.objectId}`;
    const { body } = await batch([
      create({ kind: "mixed" }),
      create({ kind: "mixed", tags: { __op: "Add", objects: ["new"] } }),
      { method: "PUT", path, body: { kind: "changed" } },
      create({ kind: "mixed", added: true }),
      create({ kind: "mixed" }, "no class"),
      { ...create({ kind: "mixed" }), path: "/server//classes/Part?kind=ignored" },
      create({ kind: "mixed", createdAt: "yesterday" }),
      { method: "GET", path: "/server/nowhere", body: {} },
    ]);
    const created = { objectId: expect.any(String), createdAt: expect.any(String) };
    expect(body).toEqual([
      { success: created },
      { success: { ...created, tags: ["new"] } },
      { success: { updatedAt: expect.any(String) } },
      { success: created },
      { error: expect.objectContaining({ code: 103 }) },
      { success: created },
      { error: expect.objectContaining({ code: 105 }) },
      { error: expect.objectContaining({ code: 108 }) },
    ]);
    expect(await count({ kind: "mixed" })).toBe(4);
  });

  it("write all or nothing as a transaction", async () => {
    const done = await batch([create({ kind: "both" }), create({ kind: "both" })], true);
    expect(done.status).toBe(200);
    expect(await count({ kind: "both" })).toBe(2);
    const refused = await batch(
      [create({ kind: "none" }), create({ kind: 5 }), create({ kind: "none" })],
      true,
    );
    expect([refused.status, refused.body.code]).toEqual([400, 111]);
    expect(await count({ kind: "none" })).toBe(0);
  });

  it("roll back writes before a rejected one", async () => {
    const missing = { method: "DELETE", path: "/server/classes/Part/notThere", body: {} };
    const refused = await batch([create({ kind: "undone" }), missing], true);
    expect(refused.body.code).toBe(101);
    expect(await count({ kind: "undone" })).toBe(0);
  });

  it("execute a request with an ID once", { tags: ["8.code.159"] }, async () => {
    const headers = {
      "X-Parse-Application-Id": purse.appId,
      "Content-Type": "application/json",
      "X-Parse-Request-Id": randomUUID(),
    };
    const send = (fields: JsonObject) =>
      fetch(`${purse.serverUrl}/classes/Part`, { method: "POST", headers, body: JSON.stringify(fields) });
    // A failed request may be sent again.
    expect((await send({ kind: 7 })).status).toBe(400);
    const answers = await Promise.all(Array.from({ length: 6 }, () => send({ kind: "once" })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const again: unknown = await (await send({ kind: "once" })).json();
    expect(again).toEqual({ code: 159, error: "Duplicate request" });
    expect(await count({ kind: "once" })).toBe(1);
  });

  it("return the first response to a retry of the same request only", async () => {
    const id = randomUUID();
    const send = async (fields: JsonObject, type: string, more: Record<string, string> = {}) => {
      const headers = {
        "X-Parse-Application-Id": purse.appId,
        "X-Parse-Request-Id": id,
        "Content-Type": type,
      };
      const body = JSON.stringify(fields);
      const url = `${purse.serverUrl}/classes/Part`;
      return (await fetch(url, { method: "POST", headers: { ...headers, ...more }, body })).text();
    };
    const first = await send({ kind: "lost" }, "text/plain");
    expect(first).toContain("objectId");
    expect(await send({ kind: "lost" }, "text/plain; attempt=2")).toBe(first);
    expect(await send({ kind: "other" }, "text/plain; attempt=2")).toContain("159");
    const key = { "X-Parse-Master-Key": purse.masterKey };
    expect(await send({ kind: "lost" }, "text/plain; attempt=3", key)).toContain("159");
    expect(await count({ kind: "lost" })).toBe(1);
  });
});
