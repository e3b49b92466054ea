import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { envelope, hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

/* Tests the functions and triggers of cloud/main.ts. */

let purse: Purse;
let ada: Awaited<ReturnType<typeof signUp>>;

beforeAll(async () => {
  purse = await hostPurse({ cloudCode: true });
  ada = await signUp(purse);
});
afterAll(() => purse?.remove());

const call = async (name: string, params: object = {}, credentials = {}) =>
  (await rest(purse, "POST", `/functions/${name}`, params, credentials)).body;

describe("cloud functions", () => {
  it("receive their parameters", { tags: ["7.function", "7.function.params"] }, async () => {
    expect(await call("hello", { name: "Ada" })).toEqual({ result: "Hello, Ada!" });
  });

  it("receive the calling user", async () => {
    expect(await call("hello", {}, ada)).toEqual({ result: `Hello, ${ada.username}!` });
    expect(await call("hello")).toEqual({ result: "Hello, stranger!" });
  });

  it.each(["text/plain", "application/json"])(
    "run without an application ID in the request, sent as %s",
    async (type) => {
      const response = await fetch(`${purse.serverUrl}/functions/getPluginSpecs`, {
        method: "POST",
        headers: { "Content-Type": type },
        body: "{}",
      });
      expect([response.status, await response.json()]).toEqual([200, { result: [] }]);
    },
  );

  it("return the server time", { tags: ["7.server-time.function", "3.server-time.date-time"] }, async () => {
    const { body } = await envelope(purse, "/functions/getServerTime", {});
    const { dateTime } = body.result as { dateTime: string };
    expect(new Date(dateTime).toISOString()).toBe(dateTime);
    expect(Math.abs(Date.parse(dateTime) - Date.now())).toBeLessThan(60_000);
  });

  it.each(["nope", "toString", "__proto__", "a.b"])(
    "that do not exist return 141: %s",
    { tags: ["8.code.141"] },
    async (name) => {
      const answer = await rest(purse, "POST", `/functions/${name}`, {});
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 141, error: `Invalid function: "${name}"` },
      });
    },
  );

  it("that throw a string return it as the error", { tags: ["8.code.141"] }, async () => {
    expect(await call("hello", { name: 7 })).toEqual({ code: 141, error: "name must be a text" });
  });
});

describe("cloud triggers", () => {
  const save = (fields: object, credentials = {}) =>
    rest(purse, "POST", "/classes/Note", fields, credentials);

  it("set the default values of a note", async () => {
    const { status, body } = await save({ text: "hi" }, ada);
    expect(status).toBe(201);
    expect(body).toMatchObject({ author: ada.username, done: false });
    const stored = await rest(purse, "GET", `/classes/Note/${body.objectId}`);
    expect(stored.body).toMatchObject({
      text: "hi",
      author: ada.username,
      ACL: { "*": { read: true }, [ada.id]: { read: true, write: true } },
    });
  });

  it("prevent changes of the author", async () => {
    const { body } = await save({ text: "hi" }, ada);
    const path = `/classes/Note/${body.objectId}`;
    await rest(purse, "PUT", path, { author: "eve", done: true }, ada);
    expect((await rest(purse, "GET", path)).body).toMatchObject({ author: ada.username, done: true });
  });

  it.each<[string, object, boolean, number]>([
    ["the client is anonymous", { text: "hi" }, false, 206],
    ["there is no text", {}, true, 142],
    ["the text is blank", { text: "  " }, true, 142],
    ["the text is not a string", { text: 5 }, true, 142],
    ["the text is too long", { text: "x".repeat(281) }, true, 142],
  ])("reject a note when %s", { tags: ["8.code.142"] }, async (_, fields, signedIn, code) => {
    expect(await save(fields, signedIn ? ada : {})).toMatchObject({ status: 400, body: { code } });
  });

  it("do not extend what functions may read for their caller", async () => {
    const before = (await call("noteCount")).result as { all: number };
    await save({ text: "mine", ACL: { [ada.id]: { read: true, write: true } } }, ada);
    expect(await call("noteCount")).toMatchObject({ result: before });
    expect(await call("noteCount", {}, ada)).toMatchObject({ result: { all: before.all + 1 } });
  });
});
