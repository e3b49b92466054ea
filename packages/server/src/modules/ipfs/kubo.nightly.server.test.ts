import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeKubo, startFakeKubo } from "../../../test/fakeKubo.ts";
import type { Ipfs, IpfsEntry } from "./ipfs.ts";
import { openIpfs } from "./ipfs.ts";

const HELLO = "hello world\n";
const HELLO_CID = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o";

let kubo: FakeKubo;
let ipfs: Ipfs;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  kubo = await startFakeKubo();
  cleanups.push(kubo.stop);
  ipfs = await open(await newFolder(), kubo.url);
});
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "purse-kubo-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  return folder;
}

async function open(folder: string, rpc?: string): Promise<Ipfs> {
  const ipfs = await openIpfs({ folder, kuboRpc: rpc });
  cleanups.push(ipfs.stop);
  return ipfs;
}

async function* bytes(content: string | Uint8Array) {
  yield Buffer.from(content);
}

async function contentOf(entry: IpfsEntry | undefined, start = 0, length = 1_000): Promise<string> {
  if (entry?.kind !== "file") throw new Error("it is no file");
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.read(start, Math.min(length, entry.size))) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("content in a Kubo node", () => {
  it("has the CIDs of ipfs add, and is pinned and read there", async () => {
    expect(await ipfs.addFile(bytes(HELLO))).toBe(HELLO_CID);
    expect([...kubo.pinned]).toEqual([HELLO_CID]);
    expect(await contentOf(await ipfs.read(HELLO_CID, []))).toBe(HELLO);
    expect(kubo.commands).toEqual(["block/put", "pin/add", "block/get"]);
    const other = await open(await newFolder(), kubo.url);
    expect(await contentOf(await other.read(HELLO_CID, []))).toBe(HELLO);
  });

  it("can be large, read in ranges, and in folders", async () => {
    const content = Buffer.alloc(700_000, "0123456789");
    const cid = await ipfs.addFile(bytes(content));
    expect(await contentOf(await ipfs.read(cid, []), 262_140, 10)).toBe("0123456789");
    const folder = await ipfs.addFolder([
      { path: "a.txt", content: Buffer.from(HELLO) },
      { path: "deep/b.txt", content },
    ]);
    const root = await ipfs.read(folder, []);
    expect(root?.kind === "folder" && (await root.names())).toEqual(["a.txt", "deep"]);
    expect(await ipfs.read(folder, ["deep", "b.txt"])).toMatchObject({ cid, size: 700_000 });
    expect(await ipfs.read(folder, ["deep", "c.txt"])).toBeUndefined();
  });

  it("includes content added by others, by both versions of its CID", async () => {
    const cid = await kubo.addBlock(Buffer.from("by hand"));
    expect(await contentOf(await ipfs.read(cid.toString(), []))).toBe("by hand");
  });

  it("stays readable from the local disk if it was stored there before", async () => {
    const folder = await newFolder();
    const before = await open(folder);
    await before.addFile(bytes(HELLO));
    const after = await open(folder, kubo.url);
    expect(await contentOf(await after.read(HELLO_CID, []))).toBe(HELLO);
    expect(await after.pins()).toMatchObject([{ cid: HELLO_CID }]);
    expect([kubo.blocks.size, await after.unpin(HELLO_CID)]).toEqual([0, true]);
    expect(await after.read(HELLO_CID, [])).toBeUndefined();
  });

  it("is missing if the node has none, without searching the network", async () => {
    expect(await ipfs.read(HELLO_CID, [])).toBeUndefined();
    expect(await ipfs.pin(HELLO_CID)).toBe(false);
  });

  it("is pinned, unpinned and listed there", async () => {
    const cid = (await kubo.addBlock(Buffer.from("by hand"))).toString();
    expect(await ipfs.pin(cid)).toBe(true);
    expect(await ipfs.pins()).toEqual([{ cid }]);
    expect([await ipfs.unpin(cid), await ipfs.unpin(cid)]).toEqual([true, false]);
    expect(await ipfs.pins()).toEqual([]);
  });

  it("is rejected if it does not match its hash", async () => {
    const cid = await kubo.addBlock(Buffer.from("the truth"));
    for (const key of kubo.blocks.keys()) kubo.blocks.set(key, Buffer.from("a lie"));
    await expect(ipfs.read(cid.toString(), [])).rejects.toMatchObject({ code: 100, status: 503 });
  });
});

describe("a Kubo node", () => {
  async function ipfsWith(listener: RequestListener): Promise<Ipfs> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanups.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    return open(await newFolder(), `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  it.each<[string, RequestListener]>([
    ["that is another server", (_, response) => void response.writeHead(404).end("404 page")],
    ["that requires a password", (_, response) => void response.writeHead(401).end("Unauthorized")],
    ["that returns an invalid response", (_, response) => void response.end("<html>")],
    ["that redirects", (_, response) => void response.writeHead(302, { location: "/" }).end()],
    ["that drops the connection", (_, response) => void response.destroy()],
    [
      "that sends an endless response",
      (_, response) => {
        const more = () => {
          while (response.write(Buffer.alloc(65_536)));
        };
        response.on("drain", more);
        more();
      },
    ],
  ])("%s is reported with a clear message", async (_, listener) => {
    const ipfs = await ipfsWith(listener);
    const unreachable = {
      code: 100,
      status: 503,
      message: expect.stringMatching(/^The IPFS node failed: /),
    };
    await expect(ipfs.addFile(bytes(HELLO))).rejects.toMatchObject(unreachable);
    await expect(ipfs.addFolder([{ path: "a", content: Buffer.from(HELLO) }])).rejects.toMatchObject(
      unreachable,
    );
    await expect(ipfs.read(HELLO_CID, [])).rejects.toMatchObject(unreachable);
    await expect(ipfs.pins()).rejects.toMatchObject(unreachable);
  });
});
