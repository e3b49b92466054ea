import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { GeoPoint } from "./object/GeoPoint.ts";
import { ParseObject } from "./object/ParseObject.ts";
import { Schema } from "./schema.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect({ masterKey: "m" });
});
afterEach(() => server.stop());

describe("a schema", () => {
  it("sends its fields with their types, and uses the master key", async () => {
    const target = ParseObject.fromJSON({ className: "Author", objectId: "a1" });
    await new Schema("Book")
      .addField("plain")
      .addBoolean("flag", { required: true, defaultValue: false })
      .addBytes("raw", { defaultValue: "aGk=" })
      .addDate("since", { defaultValue: "2026-01-01T00:00:00.000Z" })
      .addFile("cover")
      .addGeoPoint("at", { defaultValue: new GeoPoint(1, 2) })
      .addPolygon("area")
      .addArray("list")
      .addObject("map")
      .addField("author", "Pointer", { targetClass: "Author", defaultValue: target })
      .addField("readers", "Relation", { targetClass: "_User" })
      .addIndex("byPlain", { plain: 1 })
      .deleteIndex("old")
      .save();
    expect(server.requests[0]).toMatchObject({
      call: "POST schemas/Book",
      body: {
        _MasterKey: "m",
        className: "Book",
        fields: {
          plain: { type: "String" },
          flag: { type: "Boolean", required: true, defaultValue: false },
          raw: { type: "Bytes", defaultValue: { __type: "Bytes", base64: "aGk=" } },
          since: { type: "Date", defaultValue: { __type: "Date", iso: "2026-01-01T00:00:00.000Z" } },
          cover: { type: "File" },
          at: { type: "GeoPoint", defaultValue: { __type: "GeoPoint", latitude: 1, longitude: 2 } },
          area: { type: "Polygon" },
          list: { type: "Array" },
          map: { type: "Object" },
          author: {
            type: "Pointer",
            targetClass: "Author",
            defaultValue: { __type: "Pointer", className: "Author", objectId: "a1" },
          },
          readers: { type: "Relation", targetClass: "_User" },
        },
        indexes: { byPlain: { plain: 1 }, old: { __op: "Delete" } },
      },
    });
  });

  it("of User is that of _User", async () => {
    await new Schema("User").get();
    await new Schema("User").purge();
    expect(server.requests.map(({ call }) => call)).toEqual(["GET schemas/_User", "DELETE purge/_User"]);
  });

  it("keeps its changes if an update fails, and clears them after one that succeeds", async () => {
    server.respondWith(() => ({ status: 400, body: { code: 255, error: "no" } }));
    const schema = new Schema("Book").deleteField("old");
    await expect(schema.update()).rejects.toMatchObject({ code: 255 });
    server.respondWith(() => ({ body: {} }));
    await schema.update();
    await schema.update();
    const fields = server.requests.map(({ body }) => body.fields);
    expect(fields).toEqual([{ old: { __op: "Delete" } }, { old: { __op: "Delete" } }, {}]);
  });

  it("rejects invalid fields, indexes and class names", async () => {
    const schema = new Schema("Book");
    // @ts-expect-error There is no such type.
    expect(() => schema.addField("a", "Text")).toThrow("Text is not a valid type.");
    expect(() => schema.addString("")).toThrow("field name may not be null.");
    expect(() => schema.addIndex("", {})).toThrow("index name may not be null.");
    expect(() => schema.addPointer("a", "")).toThrow("You need to set the targetClass of the Pointer.");
    expect(() => schema.addRelation("a", "")).toThrow("You need to set the targetClass of the Relation.");
    await expect(new Schema("").get()).rejects.toThrow(
      "You must set a Class Name before making any request.",
    );
    server.respondWith(() => ({ body: { results: [] } }));
    await expect(Schema.all()).rejects.toThrow("Schema not found.");
  });
});
