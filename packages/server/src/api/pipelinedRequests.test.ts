import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { inTurn } from "./pipelinedRequests.ts";

/** The number of the current turn of the event loop. */
let turn = 0;
let isCounting = false;
let server: Server | undefined;
let client: Socket | undefined;

afterEach(() => {
  isCounting = false;
  client?.destroy();
  server?.close();
});

/** Sends a text to a server with a handler. */
async function send(sent: string, handle: RequestListener): Promise<Socket> {
  isCounting = true;
  const count = () => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  server = createServer(inTurn(handle)).listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  client.write(sent);
  return client;
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const last = (path: string) => get(path, "Connection: close\r\n");

describe("inTurn()", () => {
  it("handles the requests of one packet in turns of their own, and answers them in order", async () => {
    const turns: number[] = [];
    const packet = [1, 2, 3, 4, 5].map((n) => get(`/${n}`)).join("") + last("/6");
    const answers = await send(packet, (request, response) => {
      turns.push(turn);
      response.end(`path ${request.url};`);
    });
    const received = await text(answers);
    expect(received.match(/path \/\d/g)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `path /${n}`));
    expect(new Set(turns).size).toBe(6);
  });

  it("begins a request once the one before it has been answered", async () => {
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

  it("passes on the bodies of requests that wait", async () => {
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

  it("closes a connection on which more than 100 requests wait, without handling them", async () => {
    const paths: (string | undefined)[] = [];
    const closing = await send(get("/1") + get("/2").repeat(101), (request) => {
      paths.push(request.url);
    });
    closing.resume();
    await once(closing, "close");
    expect(paths).toEqual(["/1"]);
  });
});
