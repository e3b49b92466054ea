import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FetchContent } from "@purse/chain";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Ipfs, openIpfs } from "./ipfs.ts";
import { createUriReader, type UriReaderDependencies } from "./readUri.ts";

/** In these tests 127.0.0.1 is a public address and 127.0.0.2 a private one. */
const OUTSIDE = "127.0.0.1";
const INSIDE = "127.0.0.2";
const OWN_GATEWAY = "https://purse.example/ipfs";
const FAR_CID = "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n";

type Page = (request: IncomingMessage, response: ServerResponse) => void;

let folder: string;
let ipfs: Ipfs;
let outside: Server;
let inside: Server;
const pages = new Map<string, Page>();
const visitsInside: string[] = [];

async function listening(address: string, page: Page): Promise<Server> {
  const server = createServer(page);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return server;
}

const urlOf = (server: Server) => {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "purse-uris-"));
  ipfs = await openIpfs({ folder });
  outside = await listening(OUTSIDE, (request, response) => {
    const page = pages.get(request.url ?? "");
    if (page) page(request, response);
    else response.writeHead(404).end();
  });
  inside = await listening(INSIDE, (request, response) => {
    visitsInside.push(`${request.method} ${request.url}`);
    response.end('{"secret":true}');
  });
});

afterEach(() => {
  pages.clear();
  visitsInside.splice(0);
});

afterAll(async () => {
  for (const server of [outside, inside]) {
    server.closeAllConnections();
    server.close();
  }
  await ipfs.stop();
  rmSync(folder, { recursive: true });
});

function reader(
  dependencies: Partial<UriReaderDependencies> = {},
): (uri: string, deadlineMs?: number) => Promise<string> {
  const read: FetchContent = createUriReader({
    ipfs,
    ownGateway: OWN_GATEWAY,
    gateway: undefined,
    kuboRpc: undefined,
    isAllowed: (address) => address === OUTSIDE,
    ...dependencies,
  });
  return async (uri, deadlineMs = 5_000) => {
    const limits = { maxBytes: 1_000, signal: AbortSignal.timeout(deadlineMs) };
    return Buffer.from(await read(uri, limits)).toString("utf8");
  };
}

const refused = { name: "ContentUnavailableError" };

describe("content on the web", () => {
  const redirectTo =
    (location: string, status = 302): Page =>
    (_, response) =>
      void response.writeHead(status, { location }).end();

  it("is read unchanged, after a few redirects", async () => {
    pages.set("/a", redirectTo("/b", 301));
    pages.set("/b", redirectTo(`${urlOf(outside)}/c`, 307));
    pages.set("/c", (request, response) => response.end(request.headers["accept-encoding"]));
    expect(await reader()(`${urlOf(outside)}/a`)).toBe("identity");
  });

  it("may be retried if the server fails", async () => {
    pages.set("/500", (_, response) => void response.writeHead(500).end("{}"));
    await expect(reader()(`${urlOf(outside)}/500`)).rejects.toMatchObject({
      name: "Error",
      message: "the server responded with 500",
    });
  });

  it("is rejected if it is endless, too large, or declared as too large", async () => {
    pages.set("/endless", (_, response) => {
      const more = setInterval(() => response.write("x".repeat(400)), 5);
      response.on("close", () => clearInterval(more));
    });
    pages.set("/large", (_, response) => response.end("x".repeat(100_000)));
    pages.set("/said", (_, response) => {
      response.writeHead(200, { "content-length": "99999999" });
      response.write("x");
    });
    for (const path of ["endless", "large", "said"])
      await expect(reader()(`${urlOf(outside)}/${path}`)).rejects.toMatchObject(refused);
  });

  it("is aborted if it is slow to start or to continue", async () => {
    pages.set("/silent", () => undefined);
    pages.set("/drops", (_, response) => {
      const more = setInterval(() => response.write("x"), 50);
      response.on("close", () => clearInterval(more));
    });
    for (const path of ["silent", "drops"]) {
      await expect(reader()(`${urlOf(outside)}/${path}`, 300)).rejects.toThrow();
    }
  });

  it("is never read from private addresses, including by redirects and names", async () => {
    const { port } = inside.address() as AddressInfo;
    const inner = `http://${INSIDE}:${port}/`;
    pages.set("/in", redirectTo(inner));
    pages.set("/far", redirectTo("/in"));
    pages.set("/file", redirectTo("file:///etc/passwd"));
    pages.set("/round", redirectTo("/round"));
    pages.set("/nowhere", redirectTo("http://"));
    const uris = [
      inner,
      `http://0x7f000002:${port}/`,
      `http://2130706434:${port}/`,
      `http://[::ffff:127.0.0.2]:${port}/`,
      "http://169.254.169.254/latest/meta-data/",
      "http://[fd00::1]/",
      `http://user:password@${OUTSIDE}/`,
      ...["in", "far", "file", "round", "nowhere"].map((path) => `${urlOf(outside)}/${path}`),
    ];
    for (const uri of uris) await expect(reader()(uri), uri).rejects.toMatchObject(refused);
    const named = reader({ isAllowed: () => false })(`http://localhost:${port}/`);
    await expect(named).rejects.toMatchObject(refused);
    expect(visitsInside).toEqual([]);
  });

  it.each(["", "hello", "ftp://files.example/a", "file:///etc/passwd", "http://", "javascript:alert(1)"])(
    "is not read from %j",
    async (uri) => {
      await expect(reader()(uri)).rejects.toMatchObject(refused);
    },
  );
});

describe("content in IPFS", () => {
  it("is read from disk if this server stores it", async () => {
    const cid = await ipfs.addFolder([
      { path: "1.json", content: Buffer.from('{"name":"one"}') },
      { path: "deep/my 2.json", content: Buffer.from('{"name":"two"}') },
    ]);
    const read = reader({ isAllowed: () => false });
    expect(await read(`ipfs://${cid}/1.json`)).toBe('{"name":"one"}');
    expect(await read(`ipfs://ipfs/${cid}/1.json?a=b#c`)).toBe('{"name":"one"}');
    expect(await read(`IPFS://${cid}/deep/my%202.json`)).toBe('{"name":"two"}');
    expect(await read(`${OWN_GATEWAY}/${cid}/1.json`)).toBe('{"name":"one"}');
    await expect(read(`ipfs://${cid}`)).rejects.toMatchObject(refused);
  });

  it("is not read if it is large or has no valid CID", async () => {
    const cid = await ipfs.addFolder([{ path: "large", content: Buffer.alloc(2_000) }]);
    for (const uri of [`ipfs://${cid}/large`, "ipfs://hello", "ipfs://", `ipfs://${cid}/../large`])
      await expect(reader()(uri), uri).rejects.toMatchObject(refused);
  });

  it("can be retried if no node has it", async () => {
    await expect(reader()(`ipfs://${FAR_CID}/1.json`)).rejects.toMatchObject({ name: "Error" });
  });

  it("is fetched from the operator's gateway, which may have a private address", async () => {
    const gateway = `${urlOf(inside)}/ipfs/`;
    expect(await reader({ gateway })(`ipfs://${FAR_CID}/my 1.json`)).toBe('{"secret":true}');
    expect(visitsInside).toEqual([`GET /ipfs/${FAR_CID}/my%201.json`]);
    const direct = reader({ gateway })(`${gateway}${FAR_CID}`);
    await expect(direct).rejects.toMatchObject(refused);
  });

  it("is fetched from the operator's Kubo node", async () => {
    const kuboRpc = urlOf(inside);
    expect(await reader({ kuboRpc })(`ipfs://${FAR_CID}/1.json`)).toBe('{"secret":true}');
    expect(visitsInside).toEqual([`POST /api/v0/cat?arg=%2Fipfs%2F${FAR_CID}%2F1.json`]);
  });

  it("is not read if the gateway redirects to a private address", async () => {
    const cloud = "http://169.254.169.254/latest";
    pages.set(`/ipfs/${FAR_CID}`, (_, response) => void response.writeHead(302, { location: cloud }).end());
    const read = reader({ gateway: `${urlOf(outside)}/ipfs` });
    await expect(read(`ipfs://${FAR_CID}`)).rejects.toMatchObject(refused);
  });
});
