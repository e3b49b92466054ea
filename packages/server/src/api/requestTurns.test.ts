import { once } from "node:events";
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createConnectionAges } from "./connectionAges.ts";
import { RequestTurns } from "./requestTurns.ts";

let server: Server | undefined;
let client: Socket | undefined;

afterEach(() => {
  client?.destroy();
  server?.close();
});

/** Sends a text to a server with a handler. */
async function send(sent: string, handle: RequestListener): Promise<Socket> {
  server = createServer(new RequestTurns(() => "").requests(handle)).listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  client.write(sent);
  return client;
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const last = (path: string) => get(path, "Connection: close\r\n");

/** A request by a connection of its own; its client is the first part of the path. */
function requestOf(path: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.url = path;
  return request;
}
const clientOf = ({ url = "" }: IncomingMessage) => url.split("/", 1)[0] ?? "";
const numbered = (count: number) => Array.from({ length: count }, (_, i) => i);

describe("requests of many connections", () => {
  /** Receives requests in one turn of the event loop; returns the paths of those that have begun so far. */
  function receive(paths: readonly string[]): string[] {
    const begun: string[] = [];
    const listener = new RequestTurns(clientOf).requests(({ url = "" }) => begun.push(url));
    for (const path of paths) {
      const request = requestOf(path);
      listener(request, new ServerResponse(request));
    }
    return begun;
  }

  it("begin at once if there are few", () => {
    expect(receive(["a/1", "b/1"])).toEqual(["a/1", "b/1"]);
  });

  it("begin in several turns if there are many", async () => {
    const begun = receive(numbered(1_000).map((i) => `a/${i}`));
    expect(begun).toHaveLength(32);
    await nextTurn();
    expect(begun).toHaveLength(64);
  });

  it("begin before the many of another client that came first", async () => {
    const begun = receive([...numbered(1_000).map((i) => `a/${i}`), "b/1"]);
    await nextTurn();
    expect(begun).toContain("b/1");
    expect(begun.length).toBeLessThan(100);
  });

  it("begin before the many that came first of the same client by connections from another second", async () => {
    let ms = 0;
    const begun: string[] = [];
    const listener = new RequestTurns(
      clientOf,
      createConnectionAges(() => ms),
    ).requests(({ url = "" }) => begun.push(url));
    const receiveBy = (request: IncomingMessage) => listener(request, new ServerResponse(request));
    const first = requestOf("a/earlier");
    const answer = new ServerResponse(first);
    listener(first, answer);
    answer.emit("close");
    ms = 60_000;
    for (const i of numbered(1_000)) receiveBy(requestOf(`a/${i}`));
    const again = new IncomingMessage(first.socket);
    again.url = "a/again";
    receiveBy(again);
    await nextTurn();
    expect(begun).toContain("a/again");
    expect(begun.length).toBeLessThan(100);
  });
});

describe("bodies that arrive after their requests have begun", () => {
  it("end in several turns if many do so at once", async () => {
    let ended = 0;
    const listener = new RequestTurns(clientOf).requests((request) => {
      request.resume().once("end", () => {
        ended += 1;
      });
    });
    const requests = numbered(200).map((i) => requestOf(`a/${i}`));
    for (const request of requests) {
      request.headers["content-length"] = "1";
      listener(request, new ServerResponse(request));
    }
    while (requests.some((request) => request.listenerCount("end") === 0)) await nextTurn();
    await nextTurn();
    for (const request of requests) {
      request.push(Buffer.from("x"));
      request.push(null);
    }
    await nextTurn();
    expect(ended).toBeGreaterThan(0);
    expect(ended).toBeLessThanOrEqual(64);
    while (ended < requests.length) await nextTurn();
  });
});

describe("connections that become sockets", () => {
  it("do so in several turns if there are many, which they share with requests", async () => {
    const turns = new RequestTurns(clientOf);
    let opened = 0;
    for (const i of numbered(500))
      turns.upgrade(requestOf(`a/${i}`), new Socket(), () => {
        opened += 1;
      });
    const request = requestOf("b/1");
    const begun: (string | undefined)[] = [];
    turns.requests(({ url }) => begun.push(url))(request, new ServerResponse(request));
    expect([opened, begun]).toEqual([32, []]);
    await nextTurn();
    expect([opened, begun]).toEqual([63, ["b/1"]]);
  });

  it("are left alone if they break before their turn", async () => {
    const turns = new RequestTurns(clientOf);
    const sockets = numbered(40).map(() => new Socket());
    let opened = 0;
    for (const socket of sockets)
      turns.upgrade(requestOf("a/1"), socket, () => {
        opened += 1;
      });
    for (const socket of sockets) socket.destroy(new Error("reset by its client"));
    await nextTurn();
    expect(opened).toBe(32);
  });
});

describe("requests of one connection", () => {
  it("keep no body once it is closed, though Node.js parses the rest of a packet", () => {
    const begun: (string | undefined)[] = [];
    const listener = new RequestTurns(clientOf).requests(({ url }) => begun.push(url));
    const request = requestOf("a/1");
    request.socket.destroy();
    listener(request, new ServerResponse(request));
    request.push(Buffer.from("x"));
    expect([begun, request.readableLength]).toEqual([[], 0]);
  });

  it("begin in several turns if there are many, and are answered in order", async () => {
    let most = 0;
    let inThisTurn = 0;
    const count = 100;
    const packet =
      numbered(count)
        .map((n) => get(`/${n}`))
        .join("") + last(`/${count}`);
    const answers = await send(packet, (request, response) => {
      if (inThisTurn === 0)
        setImmediate(() => {
          inThisTurn = 0;
        });
      inThisTurn += 1;
      most = Math.max(most, inThisTurn);
      response.end(`path ${request.url};`);
    });
    const received = await text(answers);
    expect(received.match(/path \/\d+/g)).toEqual(numbered(count + 1).map((n) => `path /${n}`));
    // Those that may begin before and after other work of a turn.
    expect(most).toBeLessThanOrEqual(64);
  });

  it("begin once the one before them has been answered", async () => {
    const log: string[] = [];
    const answers = await send(get("/1") + last("/2"), (request, response) => {
      log.push(`begins ${request.url}`);
      setImmediate(() => {
        log.push(`ends ${request.url}`);
        response.end("x");
      });
    });
    await text(answers);
    expect(log).toEqual(["begins /1", "ends /1", "begins /2", "ends /2"]);
  });

  it("keep their bodies while they wait", async () => {
    const post = (body: string, more = "") =>
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
    const bodies: string[] = [];
    const packet = post("first") + post("second") + post("third", "Connection: close\r\n");
    const answers = await send(packet, async (request, response) => {
      bodies.push(await text(request));
      response.end();
    });
    await text(answers);
    expect(bodies).toEqual(["first", "second", "third"]);
  });

  it("close it if more than 100 wait, and do not begin", async () => {
    const paths: (string | undefined)[] = [];
    const closing = await send(get("/1") + get("/2").repeat(101), (request) => {
      paths.push(request.url);
    });
    closing.resume();
    await once(closing, "close");
    expect(paths).toEqual(["/1"]);
  });

  it("close it if more than 1,000 wait on connections of its client, until others have closed", async () => {
    const listener = new RequestTurns(clientOf).requests(() => undefined);
    /** Sends 101 requests by a new connection. */
    const pipeline = (client: string): Socket => {
      const { socket } = requestOf(client);
      for (let i = 0; i <= 100 && !socket.destroyed; i++) {
        const request = new IncomingMessage(socket);
        request.url = `${client}/${i}`;
        listener(request, new ServerResponse(request));
      }
      return socket;
    };
    const sockets = numbered(10).map(() => pipeline("a"));
    expect(sockets.some(({ destroyed }) => destroyed)).toBe(false);
    expect(pipeline("a").destroyed).toBe(true);
    expect(pipeline("b").destroyed).toBe(false);
    sockets[0]?.destroy();
    await nextTurn();
    expect(pipeline("a").destroyed).toBe(false);
  });

  it("close it if the bodies of those that wait have very many small chunks", async () => {
    const paths: (string | undefined)[] = [];
    const post = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(200)}0\r\n\r\n`;
    const closing = await send(post("/1") + post("/2"), (request) => {
      paths.push(request.url);
    });
    closing.resume();
    await once(closing, "close");
    expect(paths).toEqual(["/1"]);
  });
});
