import { createServer } from "node:http";
import { afterEach, expect, it } from "vitest";
import { Bucket } from "./bucket.ts";

const CONTENT = "0123456789";
const server = createServer((request, response) => {
  ranges.push(request.headers.range);
  conditions.push(request.headers["if-match"]);
  if (request.headers.range === undefined) {
    // The rest never arrives.
    response.writeHead(200, { "content-length": String(CONTENT.length), etag: '"e"' });
    response.write(CONTENT.slice(0, 4));
  } else {
    const headers = { "content-length": "6", "content-range": "bytes 4-9/10" };
    response.writeHead(206, headers).end(CONTENT.slice(4));
  }
});
const ranges: (string | undefined)[] = [];
const conditions: (string | undefined)[] = [];

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

it("a bucket requests the rest of an object whose connection fell silent, as long as the object is the same", async () => {
  process.env.AWS_ACCESS_KEY_ID = "the-key-id";
  process.env.AWS_SECRET_ACCESS_KEY = "the-secret";
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const endpoint = `http://127.0.0.1:${address.port}`;
  const config = {
    kind: "s3",
    bucket: "files",
    prefix: "",
    region: "us-east-1",
    forcePathStyle: true,
  } as const;
  const bucket = new Bucket({ ...config, endpoint }, { connect: 10_000, request: 10_000, idle: 1_000 });
  expect((await bucket.read("a", 100))?.bytes.toString()).toBe(CONTENT);
  expect([ranges, conditions]).toEqual([
    [undefined, "bytes=4-"],
    [undefined, '"e"'],
  ]);
});
