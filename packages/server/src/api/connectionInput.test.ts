import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { closeConnection, parseInTurns } from "./connectionInput.ts";

let server: Server | undefined;
const clients: Socket[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server?.close();
});

async function listen(handle: RequestListener): Promise<Server> {
  server = createServer(handle);
  parseInTurns(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function open(to: Server): Promise<Socket> {
  const client = connect((to.address() as AddressInfo).port, "127.0.0.1");
  clients.push(client);
  client.on("error", () => undefined);
  await once(client, "connect");
  return client;
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const post = (body: Buffer, more = "") =>
  Buffer.concat([
    Buffer.from(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${more}\r\n`),
    body,
  ]);

/** Holds up the event loop for half of what a turn may take. */
function work(): void {
  const end = performance.now() + 5;
  while (performance.now() < end);
}

describe("requests that have arrived by many connections", () => {
  it("begin in several turns of the event loop if they take long", async () => {
    let begun = 0;
    const to = await listen((_request, response) => {
      begun += 1;
      work();
      response.end();
    });
    const all: Socket[] = [];
    for (let i = 0; i < 20; i++) all.push(await open(to));
    for (const client of all) client.write(get("/"));
    const inTurns: number[] = [];
    for (let before = 0; before < all.length; before = begun) {
      await nextTurn();
      inTurns.push(begun - before);
    }
    // Those before and after other work of a turn.
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(6);
  });
});

describe("the rest of a packet", () => {
  it("is not parsed once the connection has been closed because of a request", async () => {
    let requests = 0;
    const to = await listen((request) => {
      requests += 1;
      if (requests === 2) closeConnection(request.socket);
    });
    const client = await open(to);
    client.write(get("/").repeat(2_000));
    await once(client, "close");
    expect(requests).toBe(2);
  });

  it("is not parsed once the connection has been closed because of a body, and others go on", async () => {
    let pieces = 0;
    const to = await listen((request, response) => {
      if (request.url === "/other") return void response.end("other");
      request.push = () => {
        pieces += 1;
        if (pieces === 2) closeConnection(request.socket);
        return true;
      };
    });
    const other = await open(to);
    const client = await open(to);
    client.write(
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(2_000)}`,
    );
    await once(client, "close");
    other.write(get("/other", "Connection: close\r\n"));
    expect(await text(other)).toContain("other");
    expect(pieces).toBe(2);
  });

  it("belongs to the socket that the connection becomes", async () => {
    const to = await listen(() => undefined);
    const received = new Promise<Buffer>((resolve) =>
      to.once("upgrade", (_request: IncomingMessage, socket: Duplex, head: Buffer) => {
        socket.unshift(head);
        resolve(buffer(socket));
      }),
    );
    const client = await open(to);
    const sent = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));
    client.write(get("/", "Connection: Upgrade\r\nUpgrade: x\r\n"));
    client.end(sent);
    expect(sent.equals(await received)).toBe(true);
  });
});

describe("what a connection sends", () => {
  it("arrives completely and in order", async () => {
    const bodies: Buffer[] = [];
    const to = await listen(async (request, response) => {
      bodies.push(await buffer(request));
      response.end();
    });
    const client = await open(to);
    const sent = [300_000, 1, 70_000].map((length, n) => Buffer.alloc(length, n));
    client.write(Buffer.concat(sent.map((body, n) => post(body, n === 2 ? "Connection: close\r\n" : ""))));
    await text(client);
    expect(bodies.map(({ length }) => length).sort()).toEqual([1, 300_000, 70_000]);
    for (const body of sent) expect(bodies.some((each) => each.equals(body))).toBe(true);
  });

  it("waits until the body before it is read", async () => {
    const { promise: mayRead, resolve: allowToRead } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const paths: (string | undefined)[] = [];
    const to = await listen(async (request, response) => {
      paths.push(request.url);
      begin();
      await mayRead;
      response.end(`${(await buffer(request)).length} bytes;`);
    });
    const client = await open(to);
    client.write(post(Buffer.alloc(1_000_000)));
    client.write(get("/next", "Connection: close\r\n"));
    await begun;
    await nextTurn();
    expect(paths).toEqual(["/"]);
    allowToRead();
    const answers = await text(client);
    expect(answers.match(/\d+ bytes/g)).toEqual(["1000000 bytes", "0 bytes"]);
  });

  it("waits until the responses before it are read", async () => {
    const paths: (string | undefined)[] = [];
    const to = await listen((request, response) => {
      paths.push(request.url);
      response.end("x".repeat(1_000_000));
    });
    const client = await open(to);
    client.pause();
    const count = 40;
    for (let i = 1; i < count; i++) client.write(get(`/${i}`, `X-Long: ${"y".repeat(10_000)}\r\n`));
    client.write(get(`/${count}`, "Connection: close\r\n"));
    await nextTurn();
    expect(paths.length).toBeLessThan(count);
    const answers = await text(client);
    expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(count);
    expect(paths).toEqual(Array.from({ length: count }, (_, i) => `/${i + 1}`));
  });
});
