import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { SmallChunks } from "./smallChunks.ts";

let server: Server | undefined;
let client: Socket | undefined;

afterEach(() => {
  client?.destroy();
  server?.close();
});

/** Sends a body in chunks; resolves with the response, which is empty if the connection is closed. */
async function send(chunks: readonly string[], { isRead = true } = {}): Promise<string> {
  server = createServer(async (request, response) => {
    new SmallChunks(request.socket).watch(request);
    const body = isRead ? await buffer(request).catch(() => undefined) : undefined;
    if (body) response.end(`${body.length} bytes`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  client.write("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.write(`${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")}0\r\n\r\n`);
  let received = "";
  client.setEncoding("utf8").on("data", (text) => {
    received += text;
  });
  await new Promise((resolve) => client?.once("close", resolve));
  return received;
}

const chunksOf = (count: number, length: number) => Array.from({ length: count }, () => "x".repeat(length));

it.each([
  [250, 1],
  [5_000, 50],
  [200, 10_000],
])("SmallChunks.watch() lets %i chunks of %i bytes pass", async (count, length) => {
  expect(await send(chunksOf(count, length))).toContain(`${count * length} bytes`);
});

it.each([
  ["is read", true],
  ["is not read", false],
])(
  "SmallChunks.watch() closes the connection after 251 chunks of one byte if the body %s",
  async (_, isRead) => {
    expect(await send(chunksOf(20_000, 1), { isRead })).toBe("");
  },
);
