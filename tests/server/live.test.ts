import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Purse, rest, signUp, startPurse } from "../support/purse.ts";

type Message = {
  op: string;
  requestId?: number;
  code?: number;
  object?: Record<string, unknown>;
  original?: unknown;
};

let purse: Purse;
let ada: Awaited<ReturnType<typeof signUp>>;
let bob: Awaited<ReturnType<typeof signUp>>;
const open: WebSocket[] = [];

beforeAll(async () => {
  purse = await startPurse();
  ada = await signUp(purse);
  bob = await signUp(purse);
}, 60_000);
afterAll(() => purse?.remove());
afterEach(() => {
  for (const socket of open.splice(0)) socket.terminate();
});

/** A connected client of the live query protocol, on the same address as the HTTP requests. */
async function client(sessionToken?: string) {
  const socket = new WebSocket(purse.serverUrl.replace(/^http/, "ws"));
  open.push(socket);
  const told: Message[] = [];
  const waiting: ((message: Message) => void)[] = [];
  socket.on("message", (data) => {
    const message: Message = JSON.parse(data.toString());
    const next = waiting.shift();
    if (next) next(message);
    else told.push(message);
  });
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  const next = () =>
    new Promise<Message>((resolve) => {
      const message = told.shift();
      if (message) resolve(message);
      else waiting.push(resolve);
    });
  const ask = (message: object) => {
    socket.send(JSON.stringify(message));
    return next();
  };
  expect(await ask({ op: "connect", applicationId: purse.appId, sessionToken })).toMatchObject({
    op: "connected",
  });
  const subscribe = (className: string, where: object = {}) =>
    ask({ op: "subscribe", requestId: 1, query: { className, where } });
  /** What has been told until now and a little later. */
  const quiet = async () => {
    await new Promise((resolve) => setTimeout(resolve, 150));
    return told.map(({ op }) => op);
  };
  return { next, ask, subscribe, quiet };
}

const save = async (className: string, fields: object, credentials = {}) =>
  String((await rest(purse, "POST", `/classes/${className}`, fields, credentials)).body.objectId);
const update = (className: string, id: string, fields: object, credentials = {}) =>
  rest(purse, "PUT", `/classes/${className}/${id}`, fields, credentials);

describe("live queries", () => {
  it("tell of every step of an object's life", async () => {
    const { subscribe, next } = await client();
    expect(await subscribe("Lamp", { on: true })).toMatchObject({ op: "subscribed", requestId: 1 });
    const id = await save("Lamp", { on: true, watts: 5 });
    expect(await next()).toMatchObject({
      op: "create",
      object: { className: "Lamp", objectId: id, on: true },
    });
    await update("Lamp", id, { watts: 7 });
    expect(await next()).toMatchObject({ op: "update", object: { watts: 7 }, original: { watts: 5 } });
    await update("Lamp", id, { on: false });
    expect(await next()).toMatchObject({ op: "leave", object: { on: false }, original: { on: true } });
    await update("Lamp", id, { on: true });
    expect(await next()).toMatchObject({ op: "enter", object: { on: true }, original: { on: false } });
    await rest(purse, "DELETE", `/classes/Lamp/${id}`);
    expect(await next()).toMatchObject({ op: "delete", object: { objectId: id } });
  });

  it("[6.acl.read-per-user] tell only those who may read", async () => {
    const [forAda, forBob, forNobody] = [
      await client(ada.sessionToken),
      await client(bob.sessionToken),
      await client(),
    ];
    for (const { subscribe } of [forAda, forBob, forNobody]) await subscribe("Diary");
    await save("Diary", { text: "secret", ACL: { [ada.id]: { read: true, write: true } } }, ada);
    expect(await forAda.next()).toMatchObject({ op: "create", object: { text: "secret" } });
    expect(await forBob.quiet()).toEqual([]);
    expect(await forNobody.quiet()).toEqual([]);
  });

  it("say no more than that an object left to those who may not read it any more", async () => {
    const id = await save(
      "Diary",
      { text: "open", ACL: { "*": { read: true }, [ada.id]: { read: true, write: true } } },
      ada,
    );
    const forBob = await client(bob.sessionToken);
    await forBob.subscribe("Diary");
    await update("Diary", id, { text: "secret", ACL: { [ada.id]: { read: true, write: true } } }, ada);
    const left = await forBob.next();
    expect(left).toMatchObject({ op: "leave", object: { className: "Diary", objectId: id } });
    expect(JSON.stringify(left)).not.toMatch(/secret|open/);
    await update("Diary", id, { text: "more" }, ada);
    expect(await forBob.quiet()).toEqual([]);
  });

  it("end with the session", async () => {
    const eve = await signUp(purse);
    const forEve = await client(eve.sessionToken);
    await forEve.subscribe("Bell");
    await rest(purse, "POST", "/logout", {}, eve);
    await save("Bell", {});
    expect(await forEve.next()).toMatchObject({ op: "error", code: 209, requestId: 1 });
    await save("Bell", {});
    expect(await forEve.quiet()).toEqual([]);
  });

  it("do not tell of other people's sessions", async () => {
    const forBob = await client(bob.sessionToken);
    await forBob.subscribe("_Session");
    const { username } = await signUp(purse);
    await rest(purse, "POST", "/login", { username, password: "correct horse" });
    expect((await forBob.quiet()).filter((op) => op !== "error")).toEqual([]);
  });

  it("never carry a password, a token or a sign-in", async () => {
    const forMe = await client(ada.sessionToken);
    await forMe.subscribe("_User");
    await rest(purse, "PUT", `/classes/_User/${ada.id}`, { colour: "red" }, ada);
    const event = await forMe.next();
    expect(event).toMatchObject({ op: "update", object: { colour: "red" } });
    expect(Object.keys({ ...event.object, ...(event.original as object) }).join()).not.toMatch(
      /password|token|authData/i,
    );
  });
});

describe("bad input", () => {
  it.each<[string, object]>([
    ["[8.code.102] a bad regular expression", { text: { $regex: "(" } }],
    ["an operator that is not known", { text: { $where: "1" } }],
    [
      "conditions that nest for ever",
      Array.from({ length: 60 }).reduce<object>((inner) => ({ $or: [inner] }), {}),
    ],
  ])("is answered with an error: %s", async (_, where) => {
    const { subscribe } = await client();
    expect(await subscribe("Lamp", where)).toMatchObject({ op: "error", code: 102 });
    expect(await subscribe("Lamp")).toMatchObject({ op: "subscribed" });
    expect((await fetch(`${purse.url}/health`)).status).toBe(200);
  });

  it("refuses to become a WebSocket elsewhere", async () => {
    const socket = new WebSocket(purse.url.replace(/^http/, "ws"));
    await expect(new Promise((_, reject) => socket.on("error", reject))).rejects.toThrow("404");
  });
});
