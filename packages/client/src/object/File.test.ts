import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, type Reply, startRecordingServer } from "../../test/recordingServer.ts";
import { ParseFile } from "./File.ts";

const MIB = 1024 * 1024;
const SAVED: Reply = { status: 201, body: { name: "x_a.bin", url: "http://x/x_a.bin" } };
let server: RecordingServer;

beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.respondWith(() => SAVED);
});
afterEach(() => server.stop());

const calls = (): string[] => server.requests.map(({ call }) => call);

describe("a large file", () => {
  const rejection = { code: 130, error: "Invalid file upload." };
  it.each<[string, Reply]>([
    ["rejects resumable uploads", { status: 400, body: rejection }],
    ["has no route for resumable uploads", { status: 404, body: { error: "not found" } }],
    ["drops the connection of a resumable upload", { dropConnection: true }],
  ])("is uploaded in one request to a server that %s", async (_, reply) => {
    server.respondWith(({ call }) => (call === "POST files/resumable" ? reply : SAVED));
    const progress: unknown[] = [];
    const file = new ParseFile("a.bin", new Uint8Array(5 * MIB));
    await file.save({ progress: (...args) => progress.push(args) });
    expect(new Set(calls())).toEqual(new Set(["POST files/resumable", "POST files/a.bin"]));
    expect(progress).toEqual([[1, 5 * MIB, 5 * MIB, { type: "upload" }]]);
    expect(file.url()).toBe("http://x/x_a.bin");
  });

  it("is rejected with the server's error before its content is sent", async () => {
    const tooLarge = { code: 130, error: "File size exceeds maximum allowed." };
    server.respondWith(() => ({ status: 413, body: tooLarge }));
    await expect(new ParseFile("a.bin", new Uint8Array(5 * MIB)).save()).rejects.toMatchObject({ code: 130 });
    expect(calls()).toEqual(["POST files/resumable"]);
  });
});

describe("a file", () => {
  it("is uploaded in one request if it is small, also with a progress callback", async () => {
    await new ParseFile("a.bin", [1, 2]).save({ progress: () => undefined });
    expect(calls()).toEqual(["POST files/a.bin"]);
  });

  it("can be saved again after a failure", async () => {
    const file = new ParseFile("a.bin", [1]);
    server.respondWith(() => ({ status: 400, body: { code: 130, error: "no" } }));
    await expect(file.save()).rejects.toMatchObject({ code: 130 });
    server.respondWith(() => SAVED);
    expect(await file.save()).toBe(file);
  });

  it("has the media type of its data URI unless another one is given", {
    tags: ["9.file-data-url-base64"],
  }, async () => {
    const data = { base64: "data:image/png;base64,AQ==" };
    await new ParseFile("a", data).save();
    await new ParseFile("a", data, "image/x-mine").save();
    expect(server.requests.map(({ body }) => body._ContentType)).toEqual(["image/png", "image/x-mine"]);
  });

  it("has its name encoded in the path", async () => {
    await new ParseFile("a b?#.bin", [1]).save();
    expect(calls()).toEqual(["POST files/a%20b%3F%23.bin"]);
  });

  it("has no data before it is saved", async () => {
    await expect(new ParseFile("a.bin").getData()).rejects.toThrow(
      "Cannot retrieve data for unsaved ParseFile.",
    );
  });

  it("aborts its download on cancel()", async () => {
    const file = ParseFile.fromJSON({ __type: "File", name: "a.bin", url: `${server.url}/slow` });
    server.respondWith(() => new Promise(() => undefined));
    const loading = file.getData();
    await expect.poll(calls).toEqual(["GET slow"]);
    file.cancel();
    await expect(loading).rejects.toThrow(/abort/i);
  });

  it("equals a saved file with the same name and URL, but no unsaved one", () => {
    const json = { __type: "File" as const, name: "a.bin", url: "http://x/a.bin" };
    expect(ParseFile.fromJSON(json).equals(ParseFile.fromJSON(json))).toBe(true);
    expect(ParseFile.fromJSON(json).toJSON()).toEqual(json);
    expect(new ParseFile("a.bin", [1]).equals(new ParseFile("a.bin", [1]))).toBe(false);
    const other: { __type: string; name: string } = { __type: "Date", name: "a" };
    expect(() => ParseFile.fromJSON(other as typeof json)).toThrow(
      "JSON object does not represent a ParseFile",
    );
    expect(ParseFile.fromJSON(json).url({ forceSecure: true })).toBe("https://x/a.bin");
  });
});
