import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

const KIB = 1024;
const text = (kib: number) => "x".repeat(kib * KIB);
const OPEN = { "*": true };
const FULL = { status: 429, code: 155 };

interface Answer {
  status: number;
  code: unknown;
  body: JsonObject;
  retryAfter: number;
}
type Send = (method: string, path: string, body?: JsonObject) => Promise<Answer>;

let addresses = 0;

describe.each(DATABASES)("what clients may store, on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-stored-"));
    writeFileSync(
      join(folder, "main.mjs"),
      `Parse.Cloud.define("store", async ({ params }) => (await new Parse.Object("ByCloud").save(params)).id);`,
    );
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_ENV: "production",
        PURSE_TRUSTED_PROXIES: "loopback",
        PURSE_MASTER_KEY_IPS: "*",
        PURSE_CLOUD: join(folder, "main.mjs"),
        PURSE_STORED_BYTES_PER_ADDRESS: String(300 * KIB),
        PURSE_STORED_BYTES_PER_CLASS: String(700 * KIB),
        PURSE_GRAPHQL_PUBLIC_INTROSPECTION: "0",
      },
    });
  });
  afterAll(() => purse?.remove());

  /** A client with an address of its own. */
  function client(credentials: Record<string, string> = {}): Send {
    addresses += 1;
    const address = `198.51.100.${addresses}`;
    return async (method, path, body) => {
      const url = path === "/graphql" ? `${purse.url}/graphql` : `${purse.serverUrl}${path}`;
      const response = await fetch(url, {
        method,
        headers: {
          "X-Parse-Application-Id": purse.appId,
          "Content-Type": "application/json",
          "X-Forwarded-For": address,
          ...credentials,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer: JsonObject = await response.json();
      const retryAfter = Number(response.headers.get("retry-after"));
      return { status: response.status, code: answer.code, body: answer, retryAfter };
    };
  }
  const master = () => client({ "X-Parse-Master-Key": purse.masterKey });
  async function createClass(className: string, create: JsonObject): Promise<void> {
    const permissions = { create, find: OPEN, get: OPEN, update: OPEN, delete: OPEN, addField: OPEN };
    const fields = { text: { type: "String" }, list: { type: "Array" } };
    const { status } = await master()("POST", `/schemas/${className}`, {
      fields,
      classLevelPermissions: permissions,
    });
    expect(status).toBe(200);
  }
  let fills = 0;
  /** How many objects of 10 KiB a client may still store, in a class of its own. */
  async function storable(send: Send, create: JsonObject = OPEN): Promise<number> {
    fills += 1;
    const className = `Fill${fills}`;
    await createClass(className, create);
    return fill(send, className);
  }
  /** Stores objects of 10 KiB until one is refused; returns how many it could store. */
  async function fill(send: Send, className: string): Promise<number> {
    for (let stored = 0; ; stored++) {
      const { status } = await send("POST", `/classes/${className}`, { text: text(10) });
      if (status !== 201) return stored;
    }
  }
  const batched = (className: string, kib: number) =>
    Array.from({ length: kib / 10 }, () => ({
      method: "POST",
      path: `/server/classes/${className}`,
      body: { text: text(10) },
    }));
  const saved = async (className: string, fields: JsonObject) =>
    String((await master()("POST", `/classes/${className}`, fields)).body.objectId);

  const WAYS: [string, (send: Send, className: string) => Promise<Answer>][] = [
    ["a create", (send, className) => send("POST", `/classes/${className}`, { text: text(200) })],
    [
      "an update",
      async (send, className) =>
        send("PUT", `/classes/${className}/${await saved(className, { text: "small" })}`, {
          text: text(200),
        }),
    ],
    [
      "values that are added to an array",
      async (send, className) =>
        send("PUT", `/classes/${className}/${await saved(className, { list: [] })}`, {
          list: { __op: "Add", objects: [text(200)] },
        }),
    ],
    ["a batch", (send, className) => send("POST", "/batch", { requests: batched(className, 200) })],
    [
      "a transaction",
      (send, className) => send("POST", "/batch", { requests: batched(className, 200), transaction: true }),
    ],
    [
      "a GraphQL mutation that stores one variable many times",
      (send, className) => {
        const mutation = `create${className}(input: { fields: $fields }) { clientMutationId }`;
        const mutations = Array.from({ length: 20 }, (_, i) => `m${i}: ${mutation}`).join(" ");
        const query = `mutation ($fields: Create${className}FieldsInput) { ${mutations} }`;
        return send("POST", "/graphql", { query, variables: { fields: { text: text(10) } } });
      },
    ],
    [
      "an installation",
      async (send) => {
        const installation = { deviceType: "ios", appName: text(50) };
        for (let n = 0; n < 3; n++)
          await send("POST", "/installations", { ...installation, installationId: randomUUID() });
        return send("POST", "/installations", { ...installation, installationId: randomUUID() });
      },
    ],
  ];

  it.each(WAYS.map(([way, store], n) => ({ way, store, className: `Way${n}` })))(
    "is limited by address, whichever way it comes in: $way",
    async ({ store, className }) => {
      const send = client();
      await createClass(className, OPEN);
      const { status, body } = await store(send, className);
      expect([status, body.errors]).toEqual([expect.toBeOneOf([200, 201]), undefined]);
      const left = await storable(send);
      expect(left).toBeGreaterThanOrEqual(7);
      expect(left).toBeLessThanOrEqual(9);
    },
  );

  it("is refused with 155 (429) and Retry-After beyond the limit of an address, for this address", async () => {
    const send = client();
    expect(await storable(send)).toBe(29);
    await createClass("Later", OPEN);
    const refused = await send("POST", "/classes/Later", { text: text(20) });
    expect(refused).toMatchObject(FULL);
    expect(refused.body.error).toBe("Too much was stored from this address, try again later");
    expect(refused.retryAfter).toBeGreaterThan(3_000);
    expect(refused.retryAfter).toBeLessThanOrEqual(3_600);
    const { body } = await send("POST", "/batch", { requests: batched("Later", 20) });
    expect(body).toMatchObject([{ error: { code: 155 } }, { error: { code: 155 } }]);
    expect((await send("GET", "/classes/Later?limit=1")).status).toBe(200);
    expect((await client()("POST", "/classes/Later", { text: text(20) })).status).toBe(201);
    const metrics = await (await fetch(`${purse.url}/metrics`)).text();
    expect(metrics).toMatch(/^purse_refused_writes_total\{limit="address"\} [1-9]/m);
    expect(metrics).toMatch(/^purse_client_stored_bytes_total [1-9]/m);
  });

  it("is refused with 116 (413) if one object is larger than all that an address may store", async () => {
    await createClass("Huge", OPEN);
    const refused = await client()("POST", "/classes/Huge", { text: text(301) });
    expect(refused).toMatchObject({ status: 413, code: 116 });
  });

  it("is limited for all addresses together in a class in which everyone may create objects", async () => {
    await createClass("Crowd", OPEN);
    const stored = [
      await fill(client(), "Crowd"),
      await fill(client(), "Crowd"),
      await fill(client(), "Crowd"),
    ];
    const all = stored.reduce((sum, each) => sum + each, 0);
    expect(all).toBeGreaterThanOrEqual(67);
    expect(all).toBeLessThanOrEqual(70);
    const send = client();
    const refused = await send("POST", "/classes/Crowd", { text: text(10) });
    expect(refused).toMatchObject({
      ...FULL,
      body: { error: "Clients have stored too much in the class Crowd, try again later" },
    });
    // What was refused does not count for the address.
    expect(await storable(send)).toBe(29);
    expect((await master()("POST", "/classes/Crowd", { text: text(10) })).status).toBe(201);
  });

  it("is not limited by class where only users may create objects", async () => {
    await createClass("Signed", { requiresAuthentication: true });
    for (let n = 0; n < 3; n++) {
      const user = { username: randomUUID(), password: "correct horse" };
      const { body } = await client()("POST", "/users", user);
      const send = client({ "X-Parse-Session-Token": String(body.sessionToken) });
      expect(await fill(send, "Signed")).toBe(29);
    }
  });

  it("counts updates by what an object has grown, and no failed writes", async () => {
    await createClass("Draft", OPEN);
    const send = client();
    const ACL = { "*": { read: true, write: true } };
    const { body } = await send("POST", "/classes/Draft", { text: text(200), ACL });
    for (let n = 0; n < 5; n++) {
      expect((await send("PUT", `/classes/Draft/${body.objectId}`, { text: text(60) })).status).toBe(200);
      expect((await send("PUT", "/classes/Draft/missing", { text: text(60) })).code).toBe(101);
    }
    const left = await storable(send);
    expect(left).toBeGreaterThanOrEqual(7);
    expect(left).toBeLessThanOrEqual(9);
  });

  it("is not limited for the master key and cloud code", async () => {
    const [operator, send] = [master(), client()];
    await createClass("ByCloud", OPEN);
    for (let n = 0; n < 4; n++) {
      expect((await operator("POST", "/classes/ByCloud", { text: text(100) })).status).toBe(201);
      expect((await send("POST", "/functions/store", { text: text(100) })).status).toBe(200);
    }
  });
});
