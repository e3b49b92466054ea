import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { envelope, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

let purse: Purse;
let ada: Awaited<ReturnType<typeof signUp>>;
let bob: Awaited<ReturnType<typeof signUp>>;

beforeAll(async () => {
  purse = await hostPurse();
  ada = await signUp(purse, { ACL: { "*": { read: true } } });
  bob = await signUp(purse);
});
afterAll(() => purse?.remove());

async function create(className: string, fields: object, credentials = {}): Promise<string> {
  const { status, body } = await rest(purse, "POST", `/classes/${className}`, fields, credentials);
  expect(body).toMatchObject({ objectId: expect.any(String) });
  expect(status).toBe(201);
  return String(body.objectId);
}

describe("objects", () => {
  it("are saved and returned unchanged", {
    tags: ["3.record.object-id", "3.record.created-at", "3.record.updated-at", "7.save.new", "7.fetch"],
  }, async () => {
    const fields = {
      text: "ä €",
      number: 1.5,
      flag: false,
      list: [1, "two", { three: 3 }],
      map: { deep: { er: [true] } },
      when: { __type: "Date", iso: "2026-01-02T03:04:05.678Z" },
      where: { __type: "GeoPoint", latitude: 46.9, longitude: 7.4 },
      area: {
        __type: "Polygon",
        coordinates: [
          [0, 0],
          [0, 1],
          [1, 1],
          [0, 0],
        ],
      },
      bytes: { __type: "Bytes", base64: "AAEC" },
      who: { __type: "Pointer", className: "_User", objectId: ada.id },
    };
    const id = await create("Everything", fields);
    const { body } = await rest(purse, "GET", `/classes/Everything/${id}`);
    expect(body).toEqual({
      objectId: id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      ...fields,
    });
  });

  it("are updated by operations, whose results are returned", { tags: ["7.save.existing"] }, async () => {
    const id = await create("Counter", { n: 1, tags: ["a"], gone: true });
    const { status, body } = await rest(purse, "PUT", `/classes/Counter/${id}`, {
      n: { __op: "Increment", amount: 2 },
      tags: { __op: "AddUnique", objects: ["a", "b"] },
      gone: { __op: "Delete" },
      "map.key": 5,
    });
    expect(status).toBe(200);
    expect(body).toEqual({ updatedAt: expect.any(String), n: 3, tags: ["a", "b"] });
    const after = await rest(purse, "GET", `/classes/Counter/${id}`);
    expect(after.body).toMatchObject({ n: 3, tags: ["a", "b"], map: { key: 5 } });
    expect(after.body).not.toHaveProperty("gone");
  });

  it("are updated by paths into arrays, which are returned as they are stored", async () => {
    const id = await create("Listed", { list: [1, 2], map: { list: [1] }, gone: [1] });
    await rest(purse, "PUT", `/classes/Listed/${id}`, { gone: { __op: "Delete" } });
    const { body } = await rest(purse, "PUT", `/classes/Listed/${id}`, {
      "list.4": 5,
      "list.0": { __op: "Delete" },
      "map.list.2": "x",
      "gone.1": "y",
    });
    const lists = { list: [null, 2, null, null, 5], gone: [null, "y"] };
    expect(body).toEqual({ updatedAt: expect.any(String), ...lists });
    const after = await rest(purse, "GET", `/classes/Listed/${id}`);
    expect(after.body).toMatchObject({ ...lists, map: { list: [1, null, "x"] } });
  });

  it.each([
    ["a key that is no index", { "list.x": 1 }, 111],
    ["a negative index", { "list.-1": 1 }, 111],
    ["a key that is no index, on the way", { "list.x.y": 1 }, 111],
    ["an index far beyond the end", { "list.999999": 1 }, 107],
    ["an increment of a key that is no index", { "list.x": { __op: "Increment", amount: 1 } }, 111],
    ["a key that is no index, in an array of an object", { "map.list.x": 1 }, 111],
  ])("are not changed by a path into an array with %s", async (_name, fields, code) => {
    const stored = { list: [1, 2], map: { list: [1] }, n: 1 };
    const id = await create("Listed", stored);
    const path = `/classes/Listed/${id}`;
    expect(await rest(purse, "PUT", path, { n: 2, ...fields })).toMatchObject({
      status: 400,
      body: { code },
    });
    expect((await rest(purse, "GET", path)).body).toMatchObject(stored);
  });

  it("are not created with a path into an array that is no index", async () => {
    await create("Listed", { list: [1] });
    const { body } = await rest(purse, "POST", "/classes/Listed", { "list.1": 2 });
    expect(body).toMatchObject({ objectId: expect.any(String), list: [null, 2] });
    const refused = await rest(purse, "POST", "/classes/Listed", { "list.x": 2 });
    expect(refused).toMatchObject({ status: 400, body: { code: 111 } });
  });

  it("are not found after deletion", { tags: ["7.delete"] }, async () => {
    const id = await create("Gone", {});
    expect(await rest(purse, "DELETE", `/classes/Gone/${id}`)).toMatchObject({ status: 200, body: {} });
    expect(await rest(purse, "GET", `/classes/Gone/${id}`)).toMatchObject({
      status: 404,
      body: { code: 101 },
    });
  });

  it("are separated in classes whose names differ in case only", async () => {
    await create("Case", { a: 1 });
    await create("case", { a: 2 });
    expect((await rest(purse, "GET", "/classes/Case")).body.results).toHaveLength(1);
  });

  it("lose no concurrent increments", async () => {
    const id = await create("Race", { n: 0 });
    const add = () => rest(purse, "PUT", `/classes/Race/${id}`, { n: { __op: "Increment", amount: 1 } });
    await Promise.all(Array.from({ length: 50 }, add));
    expect((await rest(purse, "GET", `/classes/Race/${id}`)).body.n).toBe(50);
  });

  it("are added to relations, which queries match", async () => {
    const song = await create("Song", { name: "one" });
    await create("Song", { name: "two" });
    const pointer = { __type: "Pointer", className: "Song", objectId: song };
    const list = await create("Playlist", { songs: { __op: "AddRelation", objects: [pointer] } });
    const { body } = await rest(purse, "GET", `/classes/Playlist/${list}`);
    expect(body.songs).toEqual({ __type: "Relation", className: "Song" });
    const where = {
      $relatedTo: { object: { __type: "Pointer", className: "Playlist", objectId: list }, key: "songs" },
    };
    expect((await rest(purse, "GET", `/classes/Song${query({ where })}`)).body.results).toMatchObject([
      { name: "one" },
    ]);
  });
});

describe("server-managed fields", () => {
  const old = "1970-01-01T00:00:00.000Z";

  it("are ignored when a client sends back an object", async () => {
    const created = await rest(purse, "POST", "/classes/Echo", { n: 1, createdAt: old, updatedAt: old });
    const path = `/classes/Echo/${created.body.objectId}`;
    const read = (await rest(purse, "GET", path)).body;
    expect(read.createdAt).toBe(created.body.createdAt);
    const sent = { ...read, createdAt: { __type: "Date", iso: old }, n: 2 };
    expect((await rest(purse, "PUT", path, sent)).status).toBe(200);
    expect((await rest(purse, "GET", path)).body).toMatchObject({ n: 2, createdAt: read.createdAt });
  });

  it.each([["objectId"], ["id"]])("cannot be set at creation: %s", async (name) => {
    const { body } = await rest(purse, "POST", "/classes/Echo", { [name]: "mine" });
    expect(body).toMatchObject({
      code: 105,
      error: expect.stringContaining(`${name} is an invalid field name.`),
    });
  });

  it("cannot be changed to another ID", async () => {
    const id = await create("Echo", {});
    const { body } = await rest(purse, "PUT", `/classes/Echo/${id}`, { objectId: "another" });
    expect(body.code).toBe(105);
  });
});

describe("queries", () => {
  beforeAll(async () => {
    const author = { __type: "Pointer", className: "_User", objectId: ada.id };
    for (let i = 0; i < 5; i++) await create("Post", { title: `post ${i}`, likes: i, author, hidden: "h" });
  });

  it("sort, paginate and count", {
    tags: ["7.query", "7.query.order", "7.query.limit", "7.query.skip", "7.query.count"],
  }, async () => {
    const { body } = await rest(
      purse,
      "GET",
      `/classes/Post${query({ order: "-likes", limit: 2, skip: 1, count: 1 })}`,
    );
    expect(body).toMatchObject({ results: [{ likes: 3 }, { likes: 2 }], count: 5 });
  });

  it("return the requested keys only", { tags: ["7.query.keys", "7.query.exclude-keys"] }, async () => {
    const { body } = await rest(purse, "GET", `/classes/Post${query({ keys: "title", limit: 1 })}`);
    expect(body.results).toEqual([
      {
        objectId: expect.any(String),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        title: "post 0",
      },
    ]);
    const without = await rest(purse, "GET", `/classes/Post${query({ excludeKeys: "hidden", limit: 1 })}`);
    expect(without.body.results).toMatchObject([{ title: "post 0", likes: 0 }]);
    expect(JSON.stringify(without.body)).not.toContain("hidden");
  });

  it("include objects of pointers", { tags: ["7.query.include", "7.fetch.include"] }, async () => {
    const { body } = await rest(purse, "GET", `/classes/Post${query({ include: "author", limit: 1 })}`);
    expect(body.results).toMatchObject([
      { author: { __type: "Object", className: "_User", username: ada.username } },
    ]);
  });

  it("do not distinguish unreadable from missing objects in includes", async () => {
    const secret = await create("Secret", { ACL: { [ada.id]: { read: true } }, text: "s" });
    const to = { __type: "Pointer", className: "Secret", objectId: secret };
    const id = await create("Holder", { to });
    const { body } = await rest(purse, "GET", `/classes/Holder/${id}?include=to`);
    expect(body).not.toHaveProperty("to");
    const hers = await rest(purse, "GET", `/classes/Holder/${id}?include=to`, undefined, {
      sessionToken: ada.sessionToken,
    });
    expect(hers.body.to).toMatchObject({ text: "s" });
  });

  it("return an empty list for an unknown class", async () => {
    expect((await rest(purse, "GET", "/classes/Nothing")).body).toEqual({ results: [] });
  });
});

describe("ACLs", () => {
  it("grant access to one user", {
    tags: ["6.acl.read-per-user", "6.acl.write-per-user"],
  }, async () => {
    const id = await create("Diary", { text: "dear", ACL: { [ada.id]: { read: true, write: true } } });
    const asAda = { sessionToken: ada.sessionToken };
    const asBob = { sessionToken: bob.sessionToken };
    expect((await rest(purse, "GET", `/classes/Diary/${id}`, undefined, asAda)).status).toBe(200);
    expect(await rest(purse, "GET", `/classes/Diary/${id}`, undefined, asBob)).toMatchObject({
      body: { code: 101 },
    });
    expect(await rest(purse, "GET", "/classes/Diary", undefined, asBob)).toMatchObject({
      body: { results: [] },
    });
    expect(await rest(purse, "PUT", `/classes/Diary/${id}`, { text: "x" }, asBob)).toMatchObject({
      body: { code: 101 },
    });
    expect(await rest(purse, "DELETE", `/classes/Diary/${id}`, undefined, asBob)).toMatchObject({
      body: { code: 101 },
    });
    expect((await rest(purse, "PUT", `/classes/Diary/${id}`, { text: "x" }, asAda)).status).toBe(200);
  });

  it("grant read access to everyone and write access to one user", {
    tags: ["6.acl.read-to-everyone", "3.record.acl"],
  }, async () => {
    const id = await create("Board", { ACL: { "*": { read: true }, [ada.id]: { write: true } } });
    expect((await rest(purse, "GET", `/classes/Board/${id}`)).body.ACL).toBeDefined();
    expect((await rest(purse, "PUT", `/classes/Board/${id}`, { a: 1 })).body.code).toBe(101);
  });

  it("grant write access to everyone", { tags: ["6.acl.write-to-everyone"] }, async () => {
    const id = await create("Wall", { ACL: { "*": { read: true, write: true } } });
    expect((await rest(purse, "PUT", `/classes/Wall/${id}`, { a: 1 })).status).toBe(200);
  });

  it("hide values from users who may write but not read", async () => {
    const id = await create("Box", { n: 41, ACL: { [bob.id]: { write: true } } });
    const { status, body } = await rest(
      purse,
      "PUT",
      `/classes/Box/${id}`,
      { n: { __op: "Increment", amount: 1 } },
      { sessionToken: bob.sessionToken },
    );
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("n");
  });

  it("do not apply to the master key", { tags: ["6.master-key.option"] }, async () => {
    const id = await create("Locked", { ACL: {} });
    expect((await rest(purse, "GET", `/classes/Locked/${id}`)).status).toBe(404);
    expect(
      (await rest(purse, "GET", `/classes/Locked/${id}`, undefined, { useMasterKey: true })).status,
    ).toBe(200);
  });
});

describe("batch", () => {
  it("returns the results in order", {
    tags: ["7.batch", "7.batch.request-method", "7.batch.request-path", "7.batch.request-body"],
  }, async () => {
    const id = await create("Part", { n: 1 });
    const { body } = await envelope(purse, "/batch", {
      requests: [
        { method: "POST", path: "/server/classes/Part", body: { n: 2 } },
        { method: "PUT", path: `/server/classes/Part/${id}`, body: { n: { __op: "Increment", amount: 4 } } },
        { method: "GET", path: "/server/classes/Part/missing" },
        { method: "DELETE", path: `/server/classes/Part/none`, body: {} },
      ],
    });
    expect(body).toEqual([
      { success: { objectId: expect.any(String), createdAt: expect.any(String) } },
      { success: { updatedAt: expect.any(String), n: 5 } },
      { error: { code: 101, error: "Object not found." } },
      { error: { code: 101, error: "Object not found." } },
    ]);
  });

  it.each([
    ["requests that are not an array", { requests: {} }],
    ["a nested batch", { requests: [{ method: "POST", path: "/server/batch", body: { requests: [] } }] }],
    [
      "too many requests",
      { requests: Array.from({ length: 10_000 }, () => ({ method: "GET", path: "/server/classes/A" })) },
    ],
  ])("rejects %s", async (_name, body) => {
    expect(await envelope(purse, "/batch", body)).toMatchObject({ status: 400, body: { code: 107 } });
  });
});
