import { beforeEach, describe, expect, it } from "vitest";
import { BucketImageCache } from "./bucketImageCache.ts";

interface Stored {
  key: string;
  bytes: Buffer;
  size: number;
  modifiedAt: number;
}

let objects: Map<string, Stored>;
let reported: unknown[];
let isAway: boolean;
let opened: number;

beforeEach(() => {
  objects = new Map();
  reported = [];
  isAway = false;
  opened = 0;
});

/** A bucket in memory. */
const bucket = {
  async read(key: string) {
    if (isAway) throw new Error("S3 is away");
    return objects.get(key);
  },
  async put(key: string, bytes: Uint8Array) {
    if (isAway) throw new Error("S3 is away");
    const modifiedAt = Date.now() - 1_000 + objects.size;
    objects.set(key, { key, bytes: Buffer.from(bytes), size: bytes.length, modifiedAt });
  },
  async remove(key: string) {
    objects.delete(key);
  },
  async list(prefix: string) {
    return [...objects.values()].filter(({ key }) => key.startsWith(prefix));
  },
};

function cache(files = 100) {
  return new BucketImageCache({
    openBucket: async () => {
      opened += 1;
      return bucket;
    },
    limits: { files, bytes: 1_000_000 },
    report: (error) => reported.push(error),
  });
}

describe("a cache of images in a bucket", () => {
  it("opens the bucket when the first image is needed", async () => {
    const images = cache();
    expect(opened).toBe(0);
    await images.read("a.webp");
    await images.read("b.webp");
    expect(opened).toBe(1);
  });

  it("returns images that another server has stored, as long as they are valid", async () => {
    await cache().write("a.webp", Buffer.from("image"));
    expect((await cache().read("a.webp"))?.toString()).toBe("image");
    expect((await cache().read("a.webp", 60_000))?.toString()).toBe("image");
    expect(await cache().read("a.webp", -1)).toBeUndefined();
    expect([...objects.keys()]).toEqual(["thumbnails/a.webp"]);
  });

  it("reports that S3 is away and does without it", async () => {
    isAway = true;
    expect(await cache().read("a.webp")).toBeUndefined();
    await cache().write("a.webp", Buffer.from("image"));
    expect(reported.map(String)).toEqual(["Error: S3 is away", "Error: S3 is away"]);
  });

  it("evicts the oldest images beyond its limits, and nothing else in the bucket", async () => {
    const images = cache(10);
    await bucket.put("content/file", Buffer.from("a file"));
    for (let i = 0; i < 20; i++) {
      await images.write(`${i}.webp`, Buffer.from("image"));
      await images.close();
    }
    expect([...objects.keys()].sort()).toEqual([
      "content/file",
      ...["11", "12", "13", "14", "15", "16", "17", "18", "19"].map((name) => `thumbnails/${name}.webp`),
    ]);
  });
});
