import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BucketContent, type ContentBucket } from "./bucketContent.ts";
import { type Ipfs, type IpfsEntry, openIpfs } from "./ipfs.ts";

const HELLO = "hello world\n";
const HELLO_CID = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o";
const LARGE = Buffer.from(Array.from({ length: 600_000 }, (_, at) => (at * 7) % 253));

let objects: Map<string, Buffer>;
/** Called before each request; throws to let it fail. */
let onRequest: (operation: keyof ContentBucket, key: string) => void;
let reported: unknown[];
const cleanups: (() => Promise<unknown>)[] = [];

const bucket: ContentBucket = {
  async read(key) {
    onRequest("read", key);
    const bytes = objects.get(key);
    return bytes && { key, bytes, size: bytes.length, modifiedAt: 0 };
  },
  async put(key, bytes) {
    onRequest("put", key);
    objects.set(key, Buffer.from(bytes));
  },
  async list(prefix, limit) {
    onRequest("list", prefix);
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    return keys.slice(0, limit).map((key) => ({ key, size: 0, modifiedAt: 1_700_000_000_000 }));
  },
  async removeAll(keys) {
    for (const key of keys) {
      onRequest("removeAll", key);
      objects.delete(key);
    }
  },
};

beforeEach(() => {
  objects = new Map();
  reported = [];
  onRequest = () => undefined;
});
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

/** A server with an empty disk, or one with content of its own in `folder`. */
async function openServer(folder?: string): Promise<Ipfs> {
  const path = folder ?? (await newFolder());
  const content = new BucketContent({
    openBucket: async () => bucket,
    report: (error) => reported.push(error),
  });
  const ipfs = await openIpfs({ folder: path, bucket: content });
  cleanups.push(ipfs.stop);
  return ipfs;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "purse-bucket-content-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  return folder;
}

async function* bytes(content: string | Uint8Array) {
  yield Buffer.from(content);
}

async function contentOf(entry: IpfsEntry | undefined, start = 0, length?: number): Promise<Buffer> {
  if (entry?.kind !== "file") throw new Error("it is no file");
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.read(start, length ?? entry.size)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const cidsOf = async (ipfs: Ipfs) => (await ipfs.pins()).map(({ cid }) => cid).sort();

describe("IPFS content in a bucket", () => {
  it("is served, listed and unpinned by every server", async () => {
    const [first, second] = [await openServer(), await openServer()];
    expect(await first.addFile(bytes(HELLO))).toBe(HELLO_CID);
    const tree = await first.addFolder([
      { path: "a/large", content: LARGE },
      { path: "b/hello", content: Buffer.from(HELLO) },
    ]);
    expect((await contentOf(await second.read(HELLO_CID, []))).toString()).toBe(HELLO);
    const large = await second.read(tree, ["a", "large"]);
    expect((await contentOf(large)).equals(LARGE)).toBe(true);
    expect(await contentOf(large, 262_140, 20)).toEqual(LARGE.subarray(262_140, 262_160));
    expect(await cidsOf(second)).toEqual([HELLO_CID, tree].sort());
    expect((await second.pins())[0]?.pinnedAt).toBe("2023-11-14T22:13:20.000Z");

    expect(await second.unpin(tree)).toBe(true);
    expect(await first.read(tree, [])).toBeUndefined();
    expect((await contentOf(await first.read(HELLO_CID, []))).toString()).toBe(HELLO);
    expect([await first.unpin(tree), await first.unpin(HELLO_CID)]).toEqual([false, true]);
    expect([...objects.keys()]).toEqual([]);
  });

  it("is stored once when it is added again", async () => {
    const ipfs = await openServer();
    await ipfs.addFile(bytes(LARGE));
    const count = objects.size;
    await ipfs.addFile(bytes(LARGE));
    expect(objects.size).toBe(count);
    expect(await ipfs.pins()).toHaveLength(1);
  });

  it("remains complete when it is added and unpinned by several servers at once", async () => {
    const [first, second] = [await openServer(), await openServer()];
    for (let round = 0; round < 20; round++) {
      const cid = await first.addFile(bytes(HELLO));
      await Promise.all([first.unpin(cid), second.addFile(bytes(HELLO)), first.addFile(bytes(HELLO))]);
      const isPinned = (await second.pins()).length > 0;
      expect((await second.read(cid, [])) !== undefined).toBe(isPinned);
    }
  });

  it("can be pinned if all of its blocks exist, also as part of other content", async () => {
    const ipfs = await openServer();
    const tree = await ipfs.addFolder([{ path: "hello", content: Buffer.from(HELLO) }]);
    expect(await ipfs.pin(HELLO_CID)).toBe(true);
    await ipfs.unpin(tree);
    expect((await contentOf(await ipfs.read(HELLO_CID, []))).toString()).toBe(HELLO);
    expect(await ipfs.pin(tree)).toBe(false);
    expect(await cidsOf(ipfs)).toEqual([HELLO_CID]);
  });

  it("that a server had stored on its disk before is read there, and shared once it is pinned again", async () => {
    const folder = await newFolder();
    const before = await openIpfs({ folder });
    await before.addFile(bytes(HELLO));
    await before.stop();
    const [first, second] = [await openServer(folder), await openServer()];
    expect((await contentOf(await first.read(HELLO_CID, []))).toString()).toBe(HELLO);
    expect([await cidsOf(first), await cidsOf(second)]).toEqual([[HELLO_CID], []]);
    expect(await first.pin(HELLO_CID)).toBe(true);
    expect((await contentOf(await second.read(HELLO_CID, []))).toString()).toBe(HELLO);
    expect([await first.unpin(HELLO_CID), await cidsOf(first)]).toEqual([true, []]);
  });

  it("is removed again if S3 fails while it is added, which is reported as unavailable", async () => {
    const ipfs = await openServer();
    let puts = 0;
    onRequest = (operation) => {
      if (operation === "put" && ++puts === 3) throw new Error("refused by S3");
    };
    await expect(ipfs.addFile(bytes(LARGE))).rejects.toMatchObject({ code: 100, status: 503 });
    expect(String(reported[0])).toContain("refused by S3");
    expect([...objects.keys()]).toEqual([]);
  });

  it("is removed again if S3 stored the pin and its response was lost", async () => {
    const ipfs = await openServer();
    onRequest = (operation, key) => {
      if (operation !== "put" || !key.startsWith("ipfs/pins/")) return;
      objects.set(key, Buffer.from(""));
      throw new Error("the response was lost");
    };
    await expect(ipfs.addFile(bytes(HELLO))).rejects.toMatchObject({ code: 100, status: 503 });
    expect([...objects.keys()]).toEqual([]);
    expect(await ipfs.pins()).toEqual([]);
  });

  it("can be unpinned again after S3 failed halfway", async () => {
    const ipfs = await openServer();
    const cid = await ipfs.addFile(bytes(LARGE));
    let removed = 0;
    onRequest = (operation) => {
      if (operation === "removeAll" && ++removed === 2) throw new Error("refused by S3");
    };
    await expect(ipfs.unpin(cid)).rejects.toMatchObject({ status: 503 });
    expect(await ipfs.unpin(cid)).toBe(true);
    expect([...objects.keys()]).toEqual([]);
  });

  it("is rejected if S3 returns other bytes", async () => {
    const ipfs = await openServer();
    await ipfs.addFile(bytes(HELLO));
    for (const key of objects.keys()) if (key.includes("/blocks/")) objects.set(key, Buffer.from("other"));
    await expect(ipfs.read(HELLO_CID, [])).rejects.toMatchObject({ status: 503 });
  });
});
