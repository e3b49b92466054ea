import { afterEach, beforeEach, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { Query } from "../query/Query.ts";
import { ParseObject } from "./ParseObject.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
});
afterEach(() => server.stop());

const place = { __type: "GeoPoint", latitude: 47, longitude: 8 };

// In one test, as a class that is loaded stays.
it("the classes of files, GeoPoints and polygons are loaded with the first response that contains one", async () => {
  const early = ParseObject.fromJSON({ className: "Note", place });
  expect(() => early.get("place")).toThrow("Import GeoPoint to read it here");
  expect(early.toJSON()).toEqual({ place });
  server.respondWith(() => ({ body: { results: [{ objectId: "n1", list: [{ place }] }] } }));
  const [note] = await new Query("Note").find();
  expect(note?.get("list")).toMatchObject([{ place: { latitude: 47, longitude: 8 } }]);
  const { GeoPoint } = await import("./GeoPoint.ts");
  expect(early.get("place")).toEqual(new GeoPoint(47, 8));
});
