import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { erc20Abi } from "viem";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { send } from "../support/send.ts";
import { type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };
const TRACE = "needle-in-the-object";
const FIELDS = { text: { type: "String" }, file: { type: "File" } };
const TRANSFER = erc20Abi.find((entry) => entry.type === "event" && entry.name === "Transfer");

interface Tools {
  purse: Purse;
  owner: StudioClient;
}

/** The ways in which a class comes into being without a word about permissions. */
const WAYS: readonly [title: string, className: string, create: (tools: Tools) => Promise<unknown>][] = [
  [
    "the schemas API",
    "MadeByRest",
    ({ purse }) => rest(purse, "POST", "/schemas/MadeByRest", { fields: FIELDS }, MASTER),
  ],
  [
    "the schemas API, with permissions that are removed later",
    "MadeByRemoval",
    async ({ purse }) => {
      await rest(purse, "POST", "/schemas/MadeByRemoval", { fields: FIELDS, access: "open" }, MASTER);
      await rest(purse, "PUT", "/schemas/MadeByRemoval", { classLevelPermissions: null }, MASTER);
    },
  ],
  [
    "the first create with the master key",
    "MadeByCreate",
    ({ purse }) => rest(purse, "POST", "/classes/MadeByCreate", { text: "first" }, MASTER),
  ],
  [
    "the studio",
    "MadeByHand",
    ({ owner }) => owner.request("POST", "/schema/classes/MadeByHand", { edit: { fields: FIELDS } }),
  ],
  [
    "an import of a file in the studio",
    "MadeByImport",
    async ({ owner }) => {
      await owner.request("POST", "/schema/classes/MadeByImport", { edit: { fields: FIELDS } });
      const rows = { format: "csv", text: "text\nfirst\n", keepIds: false, dryRun: false };
      await owner.request("POST", "/data/MadeByImport/import", rows);
    },
  ],
  ["the config file", "MadeByConfig", async () => undefined],
  [
    "a listener of chain events",
    "MadeByListener",
    async ({ purse }) => {
      const watch = {
        chainId: "0x539",
        address: `0x${"11".repeat(20)}`,
        topic: "Transfer(address, address, uint256)",
        abi: TRANSFER,
        tableName: "MadeByListener",
      };
      await rest(purse, "POST", "/functions/watchContractEvent", watch, MASTER);
      await vi.waitFor(
        async () => {
          const found = await rest(purse, "GET", "/schemas/MadeByListener", undefined, MASTER);
          expect(found.status).toBe(200);
        },
        { timeout: 30_000 },
      );
    },
  ],
];

/** Opened in words, so that every route below reaches its objects: otherwise the routes would prove nothing. */
const CONTROL = "OpenedByName";

interface Target {
  className: string;
  objectId: string;
}

type Route = (ask: Ask, target: Target) => Promise<unknown>;
type Ask = (method: string, path: string, body?: JsonValue) => Promise<string>;

const pathOf = ({ className, objectId }: Target) => `/classes/${className}/${objectId}`;
const pointerTo = ({ className, objectId }: Target): JsonObject => ({
  __type: "Pointer",
  className,
  objectId,
});
const batch = (method: string, path: string, body: JsonObject = {}) => ({
  requests: [{ method, path: `/server${path}`, body }],
});
/** Names of GraphQL fields begin in lower case. */
const fieldOf = (className: string) => `${className[0]?.toLowerCase()}${className.slice(1)}`;
const asGraphql = (text: string): JsonObject => ({ query: text });

/** Responses contain the text of the object, or the name of its file, if the route reaches it. */
const READS: Record<string, Route> = {
  "a find": (ask, { className }) => ask("GET", `/classes/${className}`),
  "a find with the parameters in the body": (ask, { className }) =>
    ask("POST", `/classes/${className}`, { _method: "GET", where: { text: TRACE } }),
  "a get": (ask, target) => ask("GET", pathOf(target)),
  "a find in a batch": (ask, { className }) => ask("POST", "/batch", batch("GET", `/classes/${className}`)),
  "an include, with files in objects": (ask) => ask("GET", `/classes/Holder${query({ include: "*" })}`),
  GraphQL: (ask, { className }) =>
    ask("POST", "graphql", asGraphql(`{ ${fieldOf(className)}s { edges { node { text } } } }`)),
};

/** Responses contain `"count":` and a number above 0, or an object, if the route reaches the object. */
const COUNTS: Record<string, Route> = {
  "a count": (ask, { className }) =>
    ask("GET", `/classes/${className}${query({ where: { text: TRACE }, count: 1, limit: 0 })}`),
  "a sub-query": (ask, { className }) => {
    const where = { of: { $inQuery: { className, where: { text: TRACE } } } };
    return ask("GET", `/classes/Holder${query({ where, count: 1, limit: 0 })}`);
  },
};

const CHANGES: Record<string, Route> = {
  "an update": (ask, target) => ask("PUT", pathOf(target), { text: "changed" }),
  "an update in a batch": (ask, target) =>
    ask("POST", "/batch", batch("PUT", pathOf(target), { text: "changed" })),
  "an overridden method": (ask, target) => ask("POST", pathOf(target), { _method: "PUT", text: "changed" }),
  "an update by GraphQL": (ask, { className, objectId }) =>
    ask(
      "POST",
      "graphql",
      asGraphql(
        `mutation { update${className}(input: { id: "${objectId}", fields: { text: "changed" } }) { clientMutationId } }`,
      ),
    ),
  "a create": (ask, { className }) => ask("POST", `/classes/${className}`, { text: "added" }),
  "a create in a batch": (ask, { className }) =>
    ask("POST", "/batch", batch("POST", `/classes/${className}`, { text: "added" })),
  "a delete in a batch": (ask, target) => ask("POST", "/batch", batch("DELETE", pathOf(target))),
  "a delete": (ask, target) => ask("DELETE", pathOf(target)),
};

describe.each(DATABASES)("a production server with default settings on %s", (database) => {
  let purse: Purse;
  let users: Record<string, { sessionToken?: string }>;
  const targets = new Map<string, Target>();

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-closed-"));
    const config = join(folder, "purse.config.mjs");
    writeFileSync(
      config,
      `export default { schemas: [{ className: "MadeByConfig", fields: ${JSON.stringify(FIELDS)} }] };`,
    );
    const env = { ...(await databaseEnv(database)), PURSE_ENV: "production", PURSE_CONFIG: config };
    purse = await hostPurse({ devChain: true, env });
    const owner = await setUpStudio(purse);
    const [user, other] = [await signUp(purse), await signUp(purse)];
    users = { nobody: {}, "a user": user, "another user": other };
    for (const [, className, create] of WAYS) {
      await create({ purse, owner });
      await addTarget(className);
    }
    await rest(purse, "POST", `/schemas/${CONTROL}`, { fields: FIELDS, access: "open" }, MASTER);
    await addTarget(CONTROL);
  }, 120_000);
  afterAll(() => purse?.remove());

  /** Creates an object with the master key. */
  async function addTarget(className: string): Promise<void> {
    const file = { __type: "File", name: `${TRACE}.txt` };
    const { body } = await rest(purse, "POST", `/classes/${className}`, { text: TRACE, file }, MASTER);
    const target = { className, objectId: String(body.objectId) };
    targets.set(className, target);
  }

  /** Replaces what refers to an object, so that it is the only one that includes reach. */
  async function refersTo(target: Target): Promise<void> {
    await rest(purse, "DELETE", "/purge/Holder", undefined, MASTER);
    await rest(purse, "DELETE", "/schemas/Holder", undefined, MASTER);
    const fields = { of: { type: "Pointer", targetClass: target.className } };
    await rest(purse, "POST", "/schemas/Holder", { fields, access: "publicRead" }, MASTER);
    await rest(purse, "POST", "/classes/Holder", { of: pointerTo(target) }, MASTER);
  }

  const targetOf = (className: string): Target => {
    const target = targets.get(className);
    if (!target) throw new Error(`No object of ${className}`);
    return target;
  };

  /** Sends requests as a person; returns the text of the response. */
  const askAs =
    ({ sessionToken }: { sessionToken?: string }): Ask =>
    async (method, path, body) => {
      const url = path === "graphql" ? `${purse.url}/graphql` : `${purse.serverUrl}${path}`;
      const headers = {
        "X-Parse-Application-Id": purse.appId,
        "Content-Type": "application/json",
        ...(sessionToken !== undefined && { "X-Parse-Session-Token": sessionToken }),
      };
      const text = body === undefined ? undefined : JSON.stringify(body);
      return (await send(url, { method, headers, body: text })).text;
    };

  /** The titles of the routes whose responses show that they have reached the object. */
  async function reachedBy(ask: Ask, target: Target): Promise<string[]> {
    const reached: string[] = [];
    for (const [title, route] of Object.entries(READS)) {
      if (String(await route(ask, target)).includes(TRACE)) reached.push(title);
    }
    for (const [title, route] of Object.entries(COUNTS)) {
      if (/"count":[1-9]/.test(String(await route(ask, target)))) reached.push(title);
    }
    return reached;
  }

  const stored = async (className: string) =>
    (await rest(purse, "GET", `/classes/${className}${query({ order: "objectId" })}`, undefined, MASTER)).body
      .results;

  it("reaches the objects of a class that was opened in words, by every route", async () => {
    const target = targetOf(CONTROL);
    await refersTo(target);
    for (const person of Object.values(users)) {
      expect(await reachedBy(askAs(person), target)).toEqual([...Object.keys(READS), ...Object.keys(COUNTS)]);
    }
    const live = await connectLive(purse);
    expect((await live.subscribe(CONTROL)).op).toBe("subscribed");
    live.socket.terminate();
  });

  it.each(Object.entries(CHANGES))("changes a class that was opened in words by %s", async (_, route) => {
    const { body } = await rest(purse, "POST", `/classes/${CONTROL}`, { text: "before" }, MASTER);
    const before = await stored(CONTROL);
    await route(askAs({}), { className: CONTROL, objectId: String(body.objectId) });
    expect(await stored(CONTROL)).not.toEqual(before);
  });

  it("lets clients create no classes", async () => {
    for (const person of Object.values(users)) {
      const { body } = await rest(purse, "POST", "/classes/MadeByClient", { text: "x" }, person);
      expect(body.code).toBe(119);
    }
    expect((await rest(purse, "GET", "/schemas/MadeByClient", undefined, MASTER)).status).toBe(400);
  });

  describe.each(WAYS)("a class made by %s", (_, className) => {
    it("shows its objects to no client, by any route", async () => {
      const target = targetOf(className);
      await refersTo(target);
      for (const [name, person] of Object.entries(users)) {
        expect({ [name]: await reachedBy(askAs(person), target) }).toEqual({ [name]: [] });
        const path = `/aggregate/${className}${query({ pipeline: [{ $match: { text: TRACE } }] })}`;
        expect(await askAs(person)("GET", path)).not.toContain(TRACE);
        const live = await connectLive(purse, person);
        expect([name, (await live.subscribe(className)).op]).toEqual([name, "error"]);
        live.socket.terminate();
      }
    });

    it("lets no client create, change or delete objects, by any route", async () => {
      const target = targetOf(className);
      const before = await stored(className);
      expect(JSON.stringify(before)).toContain(TRACE);
      for (const person of Object.values(users)) {
        for (const route of Object.values(CHANGES)) await route(askAs(person), target);
      }
      expect(await stored(className)).toEqual(before);
    });
  });

  it("lists the classes that strangers may read or write, and those are closed by a word", async () => {
    const { body } = await rest(purse, "GET", "/security", undefined, MASTER);
    const report = JSON.stringify(body);
    expect(report).toContain(`Everyone can update and delete objects of ${CONTROL} that have no ACL`);
    expect(report).toContain(`Everyone can read objects of ${CONTROL} that have no ACL`);
    expect(report).toContain(`permissions close ${CONTROL}`);
    for (const [, className] of WAYS) expect(report).not.toContain(`objects of ${className} `);
    await rest(purse, "PUT", `/schemas/${CONTROL}`, { access: "closed" }, MASTER);
    expect((await rest(purse, "GET", `/classes/${CONTROL}`, undefined, users["a user"])).body.code).toBe(119);
    expect(JSON.stringify((await rest(purse, "GET", "/security", undefined, MASTER)).body)).not.toContain(
      `objects of ${CONTROL} `,
    );
  });

  describe("in a class that is open to everyone, whose permissions do not mention ACLs", () => {
    const EVERYONE = { "*": true };
    const classLevelPermissions = {
      find: EVERYONE,
      get: EVERYONE,
      count: EVERYONE,
      create: EVERYONE,
      update: EVERYONE,
      delete: EVERYONE,
    };
    beforeAll(async () => {
      await rest(purse, "POST", "/schemas/Shared", { fields: FIELDS, classLevelPermissions }, MASTER);
    });

    it.each([
      ["a user", ["a user"]],
      ["nobody", []],
    ])("an object that %s saves without an ACL is read and changed by %j only", async (creator, owners) => {
      await rest(purse, "DELETE", "/purge/Shared", undefined, MASTER);
      const { body } = await rest(purse, "POST", "/classes/Shared", { text: TRACE }, users[creator]);
      const target = { className: "Shared", objectId: String(body.objectId) };
      await refersTo(target);
      for (const [name, person] of Object.entries(users)) {
        const reached = await reachedBy(askAs(person), target);
        const update = await rest(purse, "PUT", pathOf(target), { text: TRACE }, person);
        expect([name, reached.length > 0, update.status]).toEqual(
          owners.includes(name) ? [name, true, 200] : [name, false, 404],
        );
      }
    });

    it("an object of operators is read as the class says", async () => {
      const { body } = await rest(purse, "POST", "/classes/Shared", { text: "news" }, MASTER);
      expect((await rest(purse, "GET", `/classes/Shared/${body.objectId}`)).body.text).toBe("news");
    });
  });

  it.each([
    ["publicRead", { nobody: "read", "another user": "read", "a user": "read" }],
    ["usersRead", { nobody: "", "another user": "read", "a user": "read" }],
  ])("access: %s lets clients read what operators create, and nothing else", async (access, rights) => {
    const className = `Of_${access}`;
    await rest(purse, "POST", `/schemas/${className}`, { fields: FIELDS, access }, MASTER);
    const { body } = await rest(purse, "POST", `/classes/${className}`, { text: TRACE }, MASTER);
    for (const [name, right] of Object.entries(rights)) {
      const path = `/classes/${className}/${body.objectId}`;
      const read = await rest(purse, "GET", path, undefined, users[name]);
      expect([name, read.body.text]).toEqual([name, right === "read" ? TRACE : undefined]);
      expect((await rest(purse, "PUT", path, { text: "changed" }, users[name])).status).not.toBe(200);
      expect((await rest(purse, "POST", `/classes/${className}`, {}, users[name])).status).not.toBe(201);
    }
  });

  it.each([
    ["usersOwn", { nobody: "", "another user": "", "a user": "read" }],
    ["usersCreate", { nobody: "read", "another user": "read", "a user": "read" }],
  ])("access: %s lets users create objects that only they change", async (access, rights) => {
    const className = `Of_${access}`;
    await rest(purse, "POST", `/schemas/${className}`, { fields: FIELDS, access }, MASTER);
    expect((await rest(purse, "POST", `/classes/${className}`, { text: TRACE })).status).not.toBe(201);
    const { body } = await rest(purse, "POST", `/classes/${className}`, { text: TRACE }, users["a user"]);
    const path = `/classes/${className}/${body.objectId}`;
    for (const [name, right] of Object.entries(rights)) {
      const read = await rest(purse, "GET", path, undefined, users[name]);
      expect([name, read.body.text]).toEqual([name, right === "read" ? TRACE : undefined]);
      const update = await rest(purse, "PUT", path, { text: TRACE }, users[name]);
      expect([name, update.status === 200]).toEqual([name, name === "a user"]);
    }
  });

  it("access: publicCreate lets everyone create objects that only operators read", async () => {
    await rest(purse, "POST", "/schemas/Form", { fields: FIELDS, access: "publicCreate" }, MASTER);
    for (const person of Object.values(users)) {
      const { status, body } = await rest(purse, "POST", "/classes/Form", { text: TRACE }, person);
      expect(status).toBe(201);
      expect((await rest(purse, "GET", `/classes/Form/${body.objectId}`, undefined, person)).status).not.toBe(
        200,
      );
    }
    expect(JSON.stringify(await stored("Form"))).toContain(TRACE);
  });

  it("refuses an unknown word for access, and one beside permissions, with 107", async () => {
    const unknown = await rest(purse, "POST", "/schemas/Odd", { access: "public" }, MASTER);
    expect(unknown.body).toMatchObject({ code: 107, error: expect.stringContaining("usersOwn") });
    const both = { access: "closed", classLevelPermissions: {} };
    expect((await rest(purse, "POST", "/schemas/Odd", both, MASTER)).body.code).toBe(107);
  });

  it("returns no default value that the caller may not read", async () => {
    const fields = {
      text: { type: "String" },
      state: { type: "String", defaultValue: TRACE },
      score: { type: "String", defaultValue: TRACE },
    };
    const unreadable = { create: { "*": true } };
    const hiding = { ...unreadable, find: { "*": true }, get: { "*": true } };
    await rest(purse, "POST", "/schemas/Unread", { fields, classLevelPermissions: unreadable }, MASTER);
    const hidden = { ...hiding, ACL: { "*": { read: true } }, protectedFields: { "*": ["state"] } };
    await rest(purse, "POST", "/schemas/Hiding", { fields, classLevelPermissions: hidden }, MASTER);
    for (const person of Object.values(users)) {
      const unread = await rest(purse, "POST", "/classes/Unread", { text: "x" }, person);
      expect([unread.status, Object.keys(unread.body).sort()]).toEqual([201, ["createdAt", "objectId"]]);
      const partly = await rest(purse, "POST", "/classes/Hiding", { text: "x" }, person);
      expect(Object.keys(partly.body).sort()).toEqual(["createdAt", "objectId", "score"]);
    }
  });

  it("refuses passwords of less than 8 characters", async () => {
    const { status, body } = await rest(purse, "POST", "/users", { username: "short", password: "1234567" });
    expect([status, body]).toEqual([400, { code: 142, error: "Password must have at least 8 characters." }]);
  });
});
