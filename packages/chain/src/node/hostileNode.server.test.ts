import { createServer, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { JsonValue } from "@purse/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { close, listen } from "../../test/proxyNode.ts";
import { Rpc } from "./rpc.ts";
import { RpcResponseTooLargeError, RpcUnreachableError } from "./rpcErrors.ts";

/** Nodes whose responses are meant to exhaust the client. */

const ends: (() => Promise<unknown>)[] = [];
const MIB = 1024 * 1024;

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Answer = (id: JsonValue, response: ServerResponse) => void;

async function nodeThat(answer: Answer): Promise<string> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: JsonValue = JSON.parse(Buffer.concat(chunks).toString());
      answer(Array.isArray(body) ? null : (Object(body).id ?? null), response);
    });
  });
  ends.push(() => close(server));
  return listen(server);
}

async function honest(): Promise<string> {
  return nodeThat(
    (id, response) => void response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "0x10" })),
  );
}

const rpcOf = (urls: string[], maxBytes = 2 * MIB, timeoutMs = 500) =>
  new Rpc(urls, { timeoutMs, retries: 0, maxBytes });

function drip(response: ServerResponse): void {
  response.write('{"jsonrpc":"2.0","id":1,"result":"');
  const timer = setInterval(() => response.write("0"), 10);
  response.on("close", () => clearInterval(timer));
}

function flood(response: ServerResponse): void {
  response.on("error", () => undefined);
  const more = () => {
    while (!response.destroyed && response.write("0".repeat(64 * 1024)));
  };
  response.on("drain", more);
  more();
}

const hostile: [string, Answer][] = [
  ["sends bytes slowly", (_, response) => drip(response)],
  ["sends nothing", () => undefined],
  ["sends without end", (_, response) => flood(response)],
  [
    "sends a compression bomb",
    (_, response) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(200 * MIB))),
  ],
  ["nests without end", (_, response) => void response.end("[".repeat(1_000_000))],
  [
    "responds to another request",
    (_, response) => void response.end(JSON.stringify({ jsonrpc: "2.0", id: 999_999, result: "0x1" })),
  ],
  [
    "responds with a prototype",
    (_, response) => void response.end('{"jsonrpc":"2.0","id":{"__proto__":1},"result":"0x1"}'),
  ],
  [
    "redirects to an internal address",
    (_, response) => void response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
  ],
];

describe("a node", () => {
  it.each(hostile)("that %s times out, and the next one is used", async (_, answer) => {
    const bad = await nodeThat(answer);
    const rpc = rpcOf([bad, await honest()]);
    expect(await rpc.call("eth_blockNumber", [])).toBe("0x10");
    expect(rpc.health[0]).toMatchObject({ state: "failing" });
    await expect(rpcOf([bad]).call("eth_blockNumber", [])).rejects.toThrow(RpcUnreachableError);
  });

  it("with an oversized response to a short request is not read to the end", async () => {
    let written = 0;
    const bad = await nodeThat((_, response) => {
      response.on("error", () => undefined);
      const chunk = "0".repeat(16 * 1024);
      const more = () => {
        while (!response.destroyed && written < 50 * MIB && response.write(chunk)) written += chunk.length;
      };
      response.on("drain", more);
      more();
    });
    await expect(rpcOf([bad], 64 * MIB, 30_000).call("eth_blockNumber", [])).rejects.toThrow(
      RpcUnreachableError,
    );
    expect(written).toBeLessThan(8 * MIB);
  });

  it("with an oversized response to a list request receives smaller requests", async () => {
    const bad = await nodeThat(
      (id, response) =>
        void response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "0".repeat(3 * MIB) })),
    );
    await expect(rpcOf([bad], 2 * MIB, 30_000).call("eth_getLogs", [])).rejects.toThrow(
      RpcResponseTooLargeError,
    );
  });

  it("that fails because of an untrusted contract does not count as failing", async () => {
    const bad = await nodeThat((_, response) => flood(response));
    const rpc = rpcOf([bad], 64 * MIB, 30_000);
    const calls = [{ method: "eth_call", params: [] }];
    const untrusted = { timeoutMs: 30_000, maxBytes: 64 * 1024 };
    await expect(rpc.batch(calls, { untrusted })).rejects.toThrow(RpcResponseTooLargeError);
    await expect(rpc.batch(calls, { untrusted: { timeoutMs: 1, maxBytes: MIB } })).rejects.toThrow(
      RpcUnreachableError,
    );
    expect(rpc.health).toMatchObject([{ state: "unused" }]);
  });

  it("that floods a socket is abandoned", async () => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    server.on("connection", (socket) => {
      socket.on("error", () => undefined);
      socket.send("0".repeat(3 * MIB));
    });
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    await expect(rpcOf([`ws://127.0.0.1:${port}`], 2 * MIB, 30_000).call("eth_getLogs", [])).rejects.toThrow(
      RpcUnreachableError,
    );
  });
});
