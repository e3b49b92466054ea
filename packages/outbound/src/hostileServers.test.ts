import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BlockedAddressError } from "./addressGuard.ts";
import { fetchUrl } from "./fetchUrl.ts";
import { isPublicAddress } from "./publicAddress.ts";

/** Requests to untrusted URLs. Here 127.0.0.1 is a public address and 127.0.0.2 a private one. */

const OUTSIDE = "127.0.0.1";
const INSIDE = "127.0.0.2";

type Page = (request: IncomingMessage, response: ServerResponse) => void;

let outside: Server;
let inside: Server;
const pages = new Map<string, Page>();
const requests: { path: string; headers: IncomingMessage["headers"] }[] = [];
const visitsInside: string[] = [];

const listening = async (server: Server, address: string) => {
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return server;
};
const portOf = (server: Server) => (server.address() as AddressInfo).port;
const at = (path: string) => `http://${OUTSIDE}:${portOf(outside)}${path}`;

beforeAll(async () => {
  outside = await listening(
    createHttpServer((request, response) => {
      requests.push({ path: request.url ?? "", headers: request.headers });
      const page = pages.get(request.url ?? "");
      if (page) page(request, response);
      else response.writeHead(404).end();
    }),
    OUTSIDE,
  );
  inside = await listening(
    createHttpServer((request, response) => {
      visitsInside.push(request.url ?? "");
      response.end('{"secret":true}');
    }),
    INSIDE,
  );
});

afterEach(() => {
  pages.clear();
  requests.splice(0);
  visitsInside.splice(0);
});

afterAll(() => {
  outside.close();
  inside.close();
});

interface Options {
  isAllowed?: (address: string) => boolean;
  ms?: number;
}

function read(url: string, { isAllowed = (address) => address === OUTSIDE, ms = 2_000 }: Options = {}) {
  return fetchUrl({ method: "GET", url, maxBytes: 100_000, signal: AbortSignal.timeout(ms), isAllowed });
}

describe("private addresses", () => {
  it.each([
    ["http://127.0.0.1/"],
    ["http://127.1/"],
    ["http://0/"],
    ["http://2130706433/"],
    ["http://0x7f000001/"],
    ["http://0x7f.0.0.1/"],
    ["http://0177.0.0.1/"],
    ["http://127.0.0.1./"],
    ["http://１２７.０.０.１/"],
    ["http://①②⑦.⓪.⓪.①/"],
    ["http://%31%32%37.0.0.1/"],
    ["http://169.254.169.254/latest/meta-data/"],
    ["http://[::1]/"],
    ["http://[0:0:0:0:0:0:0:1]/"],
    ["http://[::]/"],
    ["http://[::ffff:127.0.0.1]/"],
    ["http://[::ffff:7f00:1]/"],
    ["http://[::127.0.0.1]/"],
    ["http://[64:ff9b::7f00:1]/"],
    ["http://[64:ff9b:1::7f00:1]/"],
    ["http://[2002:7f00:1::]/"],
    ["http://[2001:0:7f00:1::]/"],
    ["http://[fe80::1]/"],
    ["http://[fd00:ec2::254]/"],
    ["http://[4000::1]/"],
    ["http://10.0.0.1/"],
    ["http://172.31.255.255/"],
    ["http://192.168.1.1/"],
    ["http://100.64.0.1/"],
    ["http://224.0.0.1/"],
    ["http://255.255.255.255/"],
    ["http://localhost/"],
    ["http://LOCALHOST/"],
  ])("are blocked in every notation: %s", async (url) => {
    await expect(read(url, { isAllowed: isPublicAddress })).rejects.toThrow(BlockedAddressError);
  });

  it.each([
    ["http://user:password@127.0.0.1/"],
    ["ftp://127.0.0.1/"],
    ["file:///etc/passwd"],
    ["gopher://127.0.0.1/"],
  ])("and URLs that are not plain http or https are blocked: %s", async (url) => {
    await expect(read(url)).rejects.toThrow(BlockedAddressError);
  });

  it.each([22, 25, 53, 110, 143, 465, 587, 993, 6667])(
    "and services that interpret HTTP as commands are blocked, at port %i",
    async (port) => {
      await expect(read(`http://${OUTSIDE}:${port}/`)).rejects.toThrow("port");
    },
  );

  it.each([301, 302, 303, 307, 308])("are not reached by a redirect with status %i", async (status) => {
    const target = `http://${INSIDE}:${portOf(inside)}/secret`;
    for (const location of [target, target.replace("http:", ""), target.replace(INSIDE, "127.2")]) {
      pages.set("/moved", (_, response) => void response.writeHead(status, { location }).end());
      await expect(read(at("/moved"))).rejects.toThrow(BlockedAddressError);
    }
    expect(visitsInside).toEqual([]);
  });

  it("are not reached by DNS rebinding: the connection uses the checked address", async () => {
    pages.set("/", (_, response) => void response.end("{}"));
    const checked: string[] = [];
    let isOpen = true;
    const isAllowed = (address: string) => {
      checked.push(address);
      return isOpen;
    };
    const url = `http://localhost:${portOf(outside)}/`;
    expect((await read(url, { isAllowed })).toString()).toBe("{}");
    // A second lookup for the connection might have returned another address.
    expect(checked).toEqual([...new Set(checked)]);
    isOpen = false;
    await expect(read(url, { isAllowed })).rejects.toThrow(BlockedAddressError);
  });
});

describe("a hostile web server", () => {
  it.each<[string, Page, RegExp]>([
    ["sends without end", (_, response) => flood(response), /larger/],
    [
      "says that much will come",
      (_, response) => void response.writeHead(200, { "content-length": "99999999999" }).write("x"),
      /larger/,
    ],
    ["sends a byte now and then", (_, response) => drip(response), /abort/i],
    ["sends no answer", () => undefined, /abort/i],
    [
      "redirects in a circle",
      (_, response) => void response.writeHead(302, { location: at("/") }).end(),
      /redirects/,
    ],
    [
      "redirects to nothing",
      (_, response) => void response.writeHead(302, { location: "http://" }).end(),
      /redirects/,
    ],
    ["changes the protocol", (_, response) => void response.writeHead(101, { upgrade: "x" }).end(), /./],
    ["ends in the middle", (_, response) => cut(response), /./],
  ])("that %s is aborted", async (_, page, reason) => {
    pages.set("/", page);
    await expect(read(at("/"), { ms: 500 })).rejects.toThrow(reason);
  });

  it("that sends a decompression bomb does not have it decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    pages.set("/", (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" }).end(bomb);
    });
    const found = await read(at("/")).catch(() => Buffer.alloc(0));
    expect(found.length).toBeLessThanOrEqual(bomb.length);
  });

  it("receives no cookies, credentials or referrer, even after redirects", async () => {
    pages.set("/first", (_, response) => {
      response.writeHead(302, { location: at("/second"), "set-cookie": "a=b; Path=/" }).end();
    });
    pages.set("/second", (_, response) => void response.end("{}"));
    await read(at("/first"));
    expect(requests.map(({ path }) => path)).toEqual(["/first", "/second"]);
    for (const { headers } of requests)
      expect(Object.keys(headers).sort()).toEqual([
        "accept",
        "accept-encoding",
        "connection",
        "host",
        "user-agent",
      ]);
  });

  it.each([
    ["headers without end", (socket: Socket) => headers(socket)],
    ["no HTTP", (socket: Socket) => void socket.end("220 mail.example ESMTP\r\n")],
    ["nothing but zeros", (socket: Socket) => void socket.end(Buffer.alloc(100_000))],
    [
      "a status line of megabytes",
      (socket: Socket) => void socket.end(`HTTP/1.1 200 ${"x".repeat(5_000_000)}\r\n`),
    ],
  ])("that sends %s is aborted", async (_, speak) => {
    const server = await listening(
      createTcpServer((socket) => {
        socket.on("error", () => undefined);
        speak(socket);
      }),
      OUTSIDE,
    );
    try {
      await expect(read(`http://${OUTSIDE}:${portOf(server)}/`, { ms: 1_000 })).rejects.toThrow();
    } finally {
      server.close();
    }
  });
});

function flood(response: ServerResponse): void {
  response.on("error", () => undefined);
  const more = () => {
    while (!response.destroyed && response.write("x".repeat(10_000)));
  };
  response.on("drain", more);
  more();
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write("x"), 20);
  response.on("close", () => clearInterval(timer));
}

function cut(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "100" });
  response.write("x", () => response.destroy());
}

function headers(socket: Socket): void {
  socket.write("HTTP/1.1 200 OK\r\n");
  let sent = 0;
  const timer = setInterval(() => socket.write(`x-${sent++}: ${"y".repeat(1_000)}\r\n`), 1);
  socket.on("close", () => clearInterval(timer));
}
