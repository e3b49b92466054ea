import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { envelope, hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

/* The functions and triggers are those of cloud/main.ts. */

let purse: Purse;
let ada: Awaited<ReturnType<typeof signUp>>;

beforeAll(async () => {
  purse = await hostPurse();
  ada = await signUp(purse);
}, 60_000);
afterAll(() => purse?.remove());

const call = async (name: string, params: object = {}, credentials = {}) =>
  (await rest(purse, "POST", `/functions/${name}`, params, credentials)).body;

describe("functions", () => {
  it("run with their parameters", { tags: ["7.function", "7.function.params"] }, async () => {
    expect(await call("hello", { name: "Ada" })).toEqual({ result: "Hello, Ada!" });
  });

  it("know who calls", async () => {
    expect(await call("hello", {}, ada)).toEqual({ result: `Hello, ${ada.username}!` });
    expect(await call("hello")).toEqual({ result: "Hello, stranger!" });
  });

  it.each(["text/plain", "application/json"])(
    "run for callers who name no application, sent as %s",
    async (type) => {
      const response = await fetch(`${purse.serverUrl}/functions/getPluginSpecs`, {
        method: "POST",
        headers: { "Content-Type": type },
        body: "{}",
      });
      expect([response.status, await response.json()]).toEqual([200, { result: [] }]);
    },
  );

  it("tell the time", { tags: ["7.server-time.function", "3.server-time.date-time"] }, async () => {
    const { body } = await envelope(purse, "/functions/getServerTime", {});
    const { dateTime } = body.result as { dateTime: string };
    expect(new Date(dateTime).toISOString()).toBe(dateTime);
    expect(Math.abs(Date.parse(dateTime) - Date.now())).toBeLessThan(60_000);
  });

  it.each(["nope", "toString", "__proto__", "a.b"])(
    "that are not there are not found: %s",
    { tags: ["8.code.141"] },
    async (name) => {
      const answer = await rest(purse, "POST", `/functions/${name}`, {});
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 141, error: `Invalid function: "${name}"` },
      });
    },
  );

  it("that throw a text answer it", { tags: ["8.code.141"] }, async () => {
    expect(await call("hello", { name: 7 })).toEqual({ code: 141, error: "name must be a text" });
  });
});

describe("triggers", () => {
  const save = (fields: object, credentials = {}) =>
    rest(purse, "POST", "/classes/Note", fields, credentials);

  it("fill in what a note needs", async () => {
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

  it("keep the author from being changed", async () => {
    const { body } = await save({ text: "hi" }, ada);
    const path = `/classes/Note/${body.objectId}`;
    await rest(purse, "PUT", path, { author: "eve", done: true }, ada);
    expect((await rest(purse, "GET", path)).body).toMatchObject({ author: ada.username, done: true });
  });

  it.each<[string, object, boolean, number]>([
    ["nobody is signed in", { text: "hi" }, false, 206],
    ["there is no text", {}, true, 142],
    ["the text is blank", { text: "  " }, true, 142],
    ["the text is no text", { text: 5 }, true, 142],
    ["the text is too long", { text: "x".repeat(281) }, true, 142],
  ])("refuse a note when %s", { tags: ["8.code.142"] }, async (_, fields, signedIn, code) => {
    expect(await save(fields, signedIn ? ada : {})).toMatchObject({ status: 400, body: { code } });
  });

  it("leave functions to see what their caller may", async () => {
    const before = (await call("noteCount")).result as { all: number };
    await save({ text: "mine", ACL: { [ada.id]: { read: true, write: true } } }, ada);
    expect(await call("noteCount")).toMatchObject({ result: before });
    expect(await call("noteCount", {}, ada)).toMatchObject({ result: { all: before.all + 1 } });
  });
});
