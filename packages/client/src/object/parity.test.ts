import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { GeoPoint } from "../index.ts";
import { Query } from "../query/Query.ts";
import { User } from "../user/User.ts";
import type { Attributes } from "./fieldTypes.ts";
import { ParseObject } from "./ParseObject.ts";

/* What applications of the old clients do and get, where this client did otherwise. */

const CREATED = "2026-01-01T00:00:00.000Z";
const account = { objectId: "u1", username: "ann", sessionToken: "r:1" };
/** What old code hands over for "nothing". */
const nothing: Attributes = JSON.parse("null");

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.respondWith(({ call }) =>
    call.startsWith("POST")
      ? { status: call === "POST login" ? 200 : 201, body: { ...account, createdAt: CREATED } }
      : { body: { updatedAt: CREATED } },
  );
});
afterEach(async () => {
  ParseObject.disableSingleInstance();
  ParseObject._clearAllState();
  ParseObject.registerSubclass("_User", User);
  await server.stop();
});

function served(objectId: string, fields: Parameters<typeof ParseObject.fromJSON>[0] = {}): ParseObject {
  return ParseObject.fromJSON({ className: "Note", objectId, ...fields });
}

const answerResults = (...results: object[]): void => server.respondWith(() => ({ body: { results } }));
const lastBody = () => server.requests.at(-1)?.body;

describe("fields", () => {
  it("with undefined or a function are not sent", async () => {
    await new ParseObject("Note", { text: undefined, count: 1 }).save();
    expect(lastBody()).not.toHaveProperty("text");
    const known = served("n1", { text: "a" });
    known.set({ text: undefined, show: () => "b" });
    await known.save();
    expect(lastBody()).not.toHaveProperty("text");
    expect(lastBody()).not.toHaveProperty("show");
  });

  it("may be set with nothing", () => {
    const note = new ParseObject("Note");
    expect(note.set(nothing)).toBe(note);
  });

  it("are copied to new instances with their pending changes, which the new instance can save", async () => {
    const note = served("n1", { count: 1 });
    note.increment("count");
    const other = note.newInstance();
    expect([other.get("count"), other.dirty()]).toEqual([2, true]);
    await other.save();
    expect(lastBody()).toMatchObject({ count: { __op: "Increment", amount: 1 } });
  });

  it("that the server has removed are removed by fetchAll()", async () => {
    ParseObject.enableSingleInstance();
    const note = served("n1", { text: "a", gone: 1 });
    answerResults({ objectId: "n1", text: "b" });
    await ParseObject.fetchAll([note]);
    expect([note.get("text"), note.has("gone")]).toEqual(["b", false]);
  });

  it("serialize once in toJSON() if objects reference each other", () => {
    ParseObject.enableSingleInstance();
    const parent = served("p", { child: { __type: "Pointer", className: "Note", objectId: "c" } });
    served("c", { parent: { __type: "Pointer", className: "Note", objectId: "p" } });
    expect(parent.toJSON()).toMatchObject({ child: { parent: { __type: "Pointer" } } });
  });
});

describe("classes", () => {
  it("whose initialize() sets fields do not overwrite the server's values", () => {
    ParseObject.enableSingleInstance();
    const Cat = ParseObject.extend("Cat", {
      initialize(this: ParseObject) {
        this.set("lives", 9);
      },
    });
    expect(new Cat().get("lives")).toBe(9);
    const cat = ParseObject.fromJSON({ className: "Cat", objectId: "c1", lives: 3 });
    expect([cat.get("lives"), cat.dirty()]).toEqual([3, false]);
  });

  it("extended from others inherit their methods", () => {
    const Animal = ParseObject.extend("Animal", { sound: () => "…" });
    const extend: typeof ParseObject.extend = Reflect.get(Animal, "extend").bind(Animal);
    const dog = new (extend("Dog", { legs: () => 4 }))();
    expect(dog).toMatchObject({ className: "Dog", sound: expect.any(Function), legs: expect.any(Function) });
    expect(dog).toBeInstanceOf(Animal);
    const louder: object = { sound: () => "!" };
    expect(new (extend(louder))()).toMatchObject({ className: "Animal" });
  });

  it("have their className after registration", () => {
    class Plant extends ParseObject {
      constructor() {
        super("Plant");
      }
    }
    ParseObject.registerSubclass("Plant", Plant);
    expect(Reflect.get(Plant, "className")).toBe("Plant");
  });
});

describe("users", () => {
  it("sign up with null in place of fields, as in signUp(null, options)", async () => {
    const user = new User({ username: "ann", password: "secret" });
    await user.signUp(nothing, { installationId: "i1" });
    expect(lastBody()).toMatchObject({ username: "ann", _InstallationId: "i1" });
  });

  it("have the methods that the application added", async () => {
    User.extend({ greeting: () => "hello" });
    const user = await User.logIn("ann", "secret");
    expect(user).toHaveProperty("greeting");
    expect(User.current()).toHaveProperty("greeting");
  });

  it("are instances of the application's class, registered or called", async () => {
    class Member extends User {}
    expect(await Member.logIn("ann", "secret")).toBeInstanceOf(Member);
    expect(await Member.signUp("ann", "secret")).toBeInstanceOf(Member);
    expect(await Member.logInWith("badge", { authData: { id: "1" } })).toBeInstanceOf(Member);
    ParseObject.registerSubclass("_User", Member);
    await Member.become("r:1");
    expect(Member.current()).toBeInstanceOf(Member);
  });

  it("stay signed in when a query returns them", async () => {
    ParseObject.enableSingleInstance();
    const user = await User.logIn("ann", "secret");
    answerResults({ objectId: "u1", username: "ann", age: 30 });
    await new Query(User).find();
    expect([user.get("age"), user.getSessionToken(), user.authenticated()]).toEqual([30, "r:1", true]);
  });

  it("keep unsaved fields when they log in", async () => {
    const user = new User({ username: "ann", password: "secret", age: 30 });
    await user.logIn();
    expect([user.get("age"), user.dirtyKeys()]).toEqual([30, ["age"]]);
  });

  it("are not signed in by hydrate() without a session token", async () => {
    const user = await User.hydrate({ objectId: "u2", username: "bob" });
    expect([user.isCurrent(), User.current()]).toEqual([false, null]);
  });

  it("have no session token after logging out", async () => {
    const user = await User.logIn("ann", "secret");
    await User.logOut();
    expect(user.getSessionToken()).toBeUndefined();
  });

  it("can log out of a session that the server no longer knows", async () => {
    await User.logIn("ann", "secret");
    server.respondWith(() => ({ status: 400, body: { code: 209, error: "Invalid session token" } }));
    await User.logOut().catch(() => undefined);
    expect(User.current()).toBeNull();
  });

  it("are replaced as the current user by the latest login, also of the same user", async () => {
    await User.logIn("ann", "secret");
    const again = await User.logIn("ann", "secret");
    expect(User.current()).toBe(again);
    again.set("age", 31);
    await again.save();
    expect([User.current()?.get("age"), User.current()?.getSessionToken()]).toEqual([31, "r:1"]);
  });

  it("keep their session when another instance is saved", async () => {
    const user = await User.logIn("ann", "secret");
    const same = new User({ age: 30 });
    same.id = "u1";
    await same.save();
    expect(User.current()).toBe(user);
    expect([user.getSessionToken(), user.getUsername(), user.get("age")]).toEqual(["r:1", "ann", 30]);
  });
});

describe("queries", () => {
  it("accept GeoPoints as pairs and plain objects", () => {
    const place = { __type: "GeoPoint", latitude: 1, longitude: 2 };
    const near = (point: unknown) =>
      Reflect.apply(Query.prototype.near, new Query("Note"), ["place", point]).toJSON().where;
    expect(near([1, 2])).toEqual({ place: { $nearSphere: place } });
    expect(near({ latitude: 1, longitude: 2 })).toEqual({ place: { $nearSphere: place } });
    expect(near(new GeoPoint(1, 2))).toEqual({ place: { $nearSphere: place } });
    const corners = ["place", [1, 2], [3, 4]];
    expect(Reflect.apply(Query.prototype.withinGeoBox, new Query("Note"), corners).toJSON().where).toEqual({
      place: { $within: { $box: [place, { ...place, latitude: 3, longitude: 4 }] } },
    });
  });

  it("return the plan with explain()", async () => {
    answerResults({ plan: "scan" });
    expect(await new Query("Note").explain().find()).toEqual([{ plan: "scan" }]);
    server.respondWith(() => ({ body: { results: { plan: "scan" } } }));
    expect(await new Query("Note").explain().find()).toEqual({ plan: "scan" });
  });

  it("reduce from the first object without an initial value", async () => {
    answerResults({ objectId: "1", count: 1 }, { objectId: "2", count: 2 });
    const query = new Query("Note");
    const sum = (before: ParseObject | number, note: ParseObject): number =>
      Number(before instanceof ParseObject ? before.get("count") : before) + Number(note.get("count"));
    expect(await Reflect.apply(query.reduce, query, [sum])).toBe(3);
    answerResults();
    await expect(Reflect.apply(query.reduce, query, [sum])).rejects.toThrow(
      "Reducing empty query result set with no initial value",
    );
  });

  it("can be cancelled during get()", async () => {
    server.respondWith(() => new Promise(() => undefined));
    const query = new Query("Note");
    const getting = query.get("1");
    await expect.poll(() => server.requests.length).toBe(1);
    query.cancel();
    await expect(getting).rejects.toMatchObject({ code: 101 });
  });

  it("with select() remove missing selected fields of shared objects, and keep the others", async () => {
    ParseObject.enableSingleInstance();
    const note = served("n1", { text: "a", gone: 1, place: { city: "Bern", zip: "3000" } });
    answerResults({ objectId: "n1", place: { city: "Basel" } });
    await new Query("Note").select("gone", "place.city").find();
    expect([note.get("text"), note.has("gone")]).toEqual(["a", false]);
    expect(note.get("place")).toEqual({ city: "Basel", zip: "3000" });
  });
});
