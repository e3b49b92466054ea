import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { ACL } from "./ACL.ts";
import { ParseFile } from "./File.ts";
import { GeoPoint } from "./GeoPoint.ts";
import { ParseObject } from "./ParseObject.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.respondWith(() => ({ body: { updatedAt: "2026-01-02T00:00:00.000Z" } }));
});
afterEach(async () => {
  ParseObject.disableSingleInstance();
  await server.stop();
});

const wire = () => ({
  className: "Note",
  objectId: "n1",
  createdAt: "2026-01-01T00:00:00.000Z",
  title: "a",
  due: { __type: "Date" as const, iso: "2026-01-02T03:04:05Z" },
  tags: ["a", { deep: [1] }],
  place: { __type: "GeoPoint" as const, latitude: 47, longitude: 8 },
  author: { __type: "Pointer" as const, className: "_User", objectId: "u1" },
  paper: { __type: "File" as const, name: "a.txt", url: "http://127.0.0.1/a.txt" },
  ACL: { "*": { read: true, write: false }, u1: { write: true } },
});

describe("lazily decoded fields", () => {
  it("do not change with the JSON that created the object", () => {
    const json = wire();
    const note = ParseObject.fromJSON(json);
    json.tags.push("b");
    json.place.latitude = 0;
    json.title = "b";
    expect(note.toJSON()).toMatchObject({ tags: wire().tags, place: wire().place, title: "a" });
    expect(note.get("tags")).toEqual(wire().tags);
  });

  it("do not change with the JSON that toJSON() returned", () => {
    const note = ParseObject.fromJSON(wire());
    const json = note.toJSON();
    if (Array.isArray(json.tags)) json.tags.push("b");
    expect(note.get("tags")).toEqual(wire().tags);
    expect(note.dirty()).toBe(false);
    expect(note.toJSON()).not.toBe(json);
    expect(note.toJSON()).toEqual(ParseObject.fromJSON(wire()).toJSON());
  });

  it("serialize the same whether they were read or not", () => {
    const [requested, unasked] = [ParseObject.fromJSON(wire()), ParseObject.fromJSON(wire())];
    for (const key of Object.keys(wire())) requested.get(key);
    const { due, ACL: acl, ...rest } = requested.toJSON();
    expect(unasked.toJSON()).toMatchObject(rest);
    expect(due).toEqual({ __type: "Date", iso: "2026-01-02T03:04:05.000Z" });
    expect(acl).toEqual({ "*": { read: true }, u1: { write: true } });
  });

  it("return the same value on each read and in attributes", () => {
    const note = ParseObject.fromJSON(wire());
    expect(note.get("due")).toBe(note.get("due"));
    expect(note.attributes.tags).toBe(note.get("tags"));
    expect(note.attributes).toBe(note.attributes);
    expect(Object.keys(note.attributes)).not.toContain("objectId");
  });

  it("are not dirty after a read, whatever the server's notation", async () => {
    const note = ParseObject.fromJSON(wire());
    for (const key of Object.keys(wire())) note.get(key);
    expect([note.dirtyKeys(), note.dirty()]).toEqual([[], false]);
    await note.save();
    expect(server.requests[0]?.body).not.toHaveProperty("due");
  });

  it("are sent after a change in place, and are clean after the save", async () => {
    const note = ParseObject.fromJSON(wire());
    const [due, tags] = [note.get("due"), note.get("tags")];
    if (due instanceof Date) due.setTime(0);
    if (Array.isArray(tags)) tags.push("b");
    expect(note.dirtyKeys().sort()).toEqual(["due", "tags"]);
    await note.save();
    expect(server.requests[0]?.body).toMatchObject({
      due: { __type: "Date", iso: "1970-01-01T00:00:00.000Z" },
      tags: ["a", { deep: [1] }, "b"],
    });
    expect(note.dirty()).toBe(false);
    expect(note.get("due")).toBe(due);
  });

  it("keep a change in place made during a save for the next save", async () => {
    const note = ParseObject.fromJSON(wire());
    const tags = note.get("tags");
    if (!Array.isArray(tags)) throw new Error("no list");
    tags.push("b");
    const saving = note.save();
    tags.push("c");
    await saving;
    expect(note.dirtyKeys()).toEqual(["tags"]);
    await note.save();
    expect(server.requests.map(({ body }) => body.tags)).toEqual([
      [...wire().tags, "b"],
      [...wire().tags, "b", "c"],
    ]);
    expect(note.dirty()).toBe(false);
  });

  it("do not include properties of Object.prototype", () => {
    const json = JSON.parse(
      '{"className":"Note","objectId":"n1","__proto__":{"bad":1},"a":{"__proto__":{"bad":1}}}',
    );
    const note = ParseObject.fromJSON(json);
    expect([note.get("constructor"), note.get("__proto__"), note.get("bad")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(Object.keys(note.attributes)).toEqual(["a"]);
    expect(JSON.stringify(note)).toBe('{"objectId":"n1","a":{}}');
  });

  it("serialize as pointers for objects of which only the id is known", () => {
    const note = ParseObject.fromJSON(wire());
    const author = note.get("author");
    expect(note.toJSON().author).toEqual(wire().author);
    if (author instanceof ParseObject) author._finishFetch({ name: "Ada" });
    expect(note.toJSON().author).toMatchObject({ __type: "Object", objectId: "u1", name: "Ada" });
  });

  it("decode an ACL and a file", () => {
    const note = ParseObject.fromJSON(wire());
    expect(note.getACL()).toEqual(new ACL({ "*": { read: true }, u1: { write: true } }));
    expect(note.get("paper")).toBeInstanceOf(ParseFile);
    expect(note.get("place")).toEqual(new GeoPoint(47, 8));
  });
});

describe("nested objects in single-instance mode", () => {
  const author = (name: string) => ({ __type: "Object", className: "_User", objectId: "u1", name });
  const by = (name: string, objectId: string) =>
    ParseObject.fromJSON({ className: "Note", objectId, author: author(name), list: [author(name)] });

  it("take data when it arrives, not when a field is read", () => {
    ParseObject.enableSingleInstance();
    const note = by("old", "n1");
    const user = ParseObject.fromJSON({ ...author("new"), className: "_User" });
    expect(note.get("author")).toMatchObject({ attributes: { name: "new" } });
    expect([note.get("list"), note.dirty()]).toMatchObject([[{ attributes: { name: "new" } }], false]);
    expect(user.get("name")).toBe("new");
    by("newest", "n2");
    expect(user.get("name")).toBe("newest");
    expect(note.toJSON().author).toMatchObject({ name: "newest" });
  });

  it("serialize with the shared data, also if no field was read", () => {
    ParseObject.enableSingleInstance();
    const note = ParseObject.fromJSON(wire());
    ParseObject.fromJSON({ className: "_User", objectId: "u1", name: "Ada" });
    expect(note.toJSON().author).toMatchObject({ __type: "Object", name: "Ada" });
  });

  it("keep their own data if single-instance mode is disabled", () => {
    const note = by("old", "n1");
    by("new", "n2");
    expect(note.get("author")).toMatchObject({ attributes: { name: "old" } });
  });
});
