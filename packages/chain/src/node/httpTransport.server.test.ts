import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { close, listen } from "../../test/proxyNode.ts";
import { HttpTransport } from "./httpTransport.ts";
import { RpcUnreachableError } from "./rpcErrors.ts";

const MAX_BYTES = 1_000_000;
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startNode(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  let connections = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response));
  });
  server.on("connection", () => {
    connections += 1;
  });
  ends.push(() => close(server));
  return { url: await listen(server), countConnections: () => connections };
}

/** Starts a node without a parser of requests, each of which is one packet. */
async function startRawNode(accept: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    accept(socket);
  });
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

function send(url: string, signal = new AbortController().signal, env: NodeJS.ProcessEnv = {}) {
  const transport = new HttpTransport(url, env);
  ends.push(() => transport.close());
  return (text: string) => transport.send(text, [1], MAX_BYTES, signal);
}

describe("the HTTP transport", () => {
  it("sends messages one after the other over one connection", async () => {
    const node = await startNode((_, response) => response.end("{}"));
    const post = send(node.url);
    for (let i = 0; i < 3; i++) expect(await post("{}")).toEqual({ status: 200, text: "{}" });
    expect(node.countConnections()).toBe(1);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("accepts and decompresses responses with %s", async (encoding, compress) => {
    const text = JSON.stringify({ result: "é".repeat(10_000) });
    const node = await startNode((request, response) => {
      expect(request.headers["accept-encoding"]).toContain(encoding);
      response.writeHead(200, { "content-encoding": encoding }).end(compress(text));
    });
    expect(await send(node.url)("{}")).toEqual({ status: 200, text });
  });

  it("rejects a compressed response that ends early", async () => {
    const node = await startNode((_, response) => {
      response
        .writeHead(200, { "content-encoding": "gzip" })
        .end(gzipSync("x".repeat(1_000)).subarray(0, 20));
    });
    await expect(send(node.url)("{}")).rejects.toThrow(RpcUnreachableError);
  });

  it("returns the status of a redirect without following it", async () => {
    const target = await startNode((_, response) => response.end("{}"));
    const node = await startNode((_, response) => response.writeHead(307, { location: target.url }).end());
    expect(await send(node.url)("{}")).toMatchObject({ status: 307 });
    expect(target.countConnections()).toBe(0);
  });

  it("sends the username and password of the URL", async () => {
    const node = await startNode(({ headers }, response) => response.end(headers.authorization));
    const { text } = await send(node.url.replace("//", "//purse:secret@"))("{}");
    expect(text).toBe(`Basic ${Buffer.from("purse:secret").toString("base64")}`);
  });

  it("names the program, as services that protect nodes require", async () => {
    const node = await startNode(({ headers }, response) => response.end(headers["user-agent"]));
    expect(await send(node.url)("{}")).toMatchObject({ text: "purse" });
  });

  it("uses the proxy of the environment only with NODE_USE_ENV_PROXY=1", async () => {
    const proxy = await startNode(({ url }, response) => response.end(`proxy ${url}`));
    const node = await startNode(({ url }, response) => response.end(`node ${url}`));
    const { signal } = new AbortController();
    const post = (env: NodeJS.ProcessEnv) => send(`${node.url}/rpc`, signal, env)("{}");
    expect(await post({ http_proxy: proxy.url })).toMatchObject({ text: "node /rpc" });
    expect(await post({ http_proxy: proxy.url, NODE_USE_ENV_PROXY: "1" })).toMatchObject({
      text: `proxy ${node.url}/rpc`,
    });
  });

  it("sends a message again if the server closes an unused connection at the same moment", async () => {
    let connections = 0;
    const url = await startRawNode((socket) => {
      connections += 1;
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        socket.once("data", () => socket.destroy());
      });
    });
    const post = send(url);
    for (let i = 0; i < 3; i++) expect(await post("{}")).toEqual({ status: 200, text: "{}" });
    expect(connections).toBe(3);
  });

  it("rejects if the server switches to another protocol", async () => {
    const url = await startRawNode((socket) => {
      socket.once("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
      );
    });
    await expect(send(url, AbortSignal.timeout(5_000))("{}")).rejects.toThrow(RpcUnreachableError);
  });

  it("reports the reason if a request is aborted before or during the response", async () => {
    const silent = await startNode(() => undefined);
    await expect(send(silent.url, AbortSignal.timeout(20))("{}")).rejects.toThrow(/timeout/);
    const unfinished = await startNode((_, response) => void response.write("{"));
    await expect(send(unfinished.url, AbortSignal.timeout(100))("{}")).rejects.toThrow(/timeout/);
  });

  it("rejects if the connection is refused or lost", async () => {
    await expect(send("http://127.0.0.1:1")("{}")).rejects.toThrow(/ECONNREFUSED/);
    // It may have several addresses.
    await expect(send("http://localhost:1")("{}")).rejects.toThrow(/ECONNREFUSED/);
    const node = await startNode((_, response) => response.destroy());
    await expect(send(node.url)("{}")).rejects.toThrow(RpcUnreachableError);
  });

  it("sends messages again after it was closed", async () => {
    const node = await startNode((_, response) => response.end("{}"));
    const transport = new HttpTransport(node.url);
    ends.push(() => transport.close());
    const { signal } = new AbortController();
    await transport.send("{}", [1], MAX_BYTES, signal);
    transport.close();
    expect(await transport.send("{}", [1], MAX_BYTES, signal)).toMatchObject({ status: 200 });
  });
});
