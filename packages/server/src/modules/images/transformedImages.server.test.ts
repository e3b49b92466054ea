import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { ProtocolError } from "@purse/protocol";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NIGHTLY } from "../../../test/storeCopies.ts";
import { type ImageTransform, thumbnailTransform } from "./imageTransform.ts";
import { type ImageSource, TransformedImages, type TransformLimits } from "./transformedImages.ts";

/** How many truncated or corrupted images of each format are decoded. */
const CHANGED_IMAGES = process.env.PURSE_TESTS === "all" ? 60 : NIGHTLY ? 8 : 3;

let folder: string;
const opened: TransformedImages[] = [];
/** Has a process of its own, whose start takes longer than most tests. */
let shared: TransformedImages;
let sharedFolder: string;

beforeAll(async () => {
  sharedFolder = await mkdtemp(join(tmpdir(), "purse-thumbnails-"));
  shared = new TransformedImages(sharedFolder);
});
afterAll(async () => {
  await shared.stop();
  await rm(sharedFolder, { recursive: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-thumbnails-"));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.stop()));
  await rm(folder, { recursive: true });
});

/** The images that all tests share, or with these limits. */
function transformedImages(limits?: TransformLimits): TransformedImages {
  if (!limits) return shared;
  const created = new TransformedImages(folder, limits);
  opened.push(created);
  return created;
}

function thumbnails(limits?: TransformLimits) {
  // On a busy machine, an image that is allowed takes longer than users would wait.
  const images = transformedImages({ transformMs: 50_000, ...limits });
  return {
    get: (source: ImageSource, width: number) => images.get(source, thumbnailTransform(width), "client"),
  };
}

let sources = 0;

function source(content: string | Uint8Array, name = `picture ${++sources}`) {
  let reads = 0;
  return {
    name,
    read: async () => {
      reads += 1;
      return Buffer.from(content);
    },
    reads: () => reads,
  };
}

function plain(width: number, height: number) {
  return sharp({ create: { width, height, channels: 4, background: "#f00" } });
}

function svg(inside: string, size = 'width="200" height="100"'): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${inside}</svg>`;
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])));
  return Buffer.concat([length, Buffer.from(type), data, sum]);
}

/** A PNG that claims to have this many pixels, with further chunks and this pixel data. */
function png(side: number, pixels: Buffer, more: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 6], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const data = chunk("IDAT", deflateSync(pixels, { level: 9 }));
  return Buffer.concat([signature, chunk("IHDR", header), ...more, data, chunk("IEND", Buffer.alloc(0))]);
}

/** A tiny PNG that claims to have this many pixels. */
function pngBomb(side: number): Buffer {
  return png(side, Buffer.alloc(1_000));
}

/** 400 MB, which are packed once: it takes more than a second. */
let bomb: Buffer | undefined;

/** A small PNG whose chunk of a type unpacks to 400 MB. */
function chunkBomb(type: string, keyword: string): Buffer {
  bomb ??= deflateSync(Buffer.alloc(400 * 1024 * 1024), { level: 9 });
  const packed = bomb;
  return png(8, Buffer.alloc((8 * 4 + 1) * 8), [chunk(type, Buffer.concat([Buffer.from(keyword), packed]))]);
}

/** Pictures of 64 MB each within one small drawing. */
function drawingOfPictures(count: number): string {
  const inside = png(4_000, Buffer.alloc((4_000 * 4 + 1) * 4_000)).toString("base64");
  const image = `<image xlink:href="data:image/png;base64,${inside}" width="10" height="10"/>`;
  return svg(image.repeat(count), 'width="10" height="10"');
}

/** A GIF of that many frames, each as large as the picture. */
async function animation(format: "gif" | "webp", frames: number, side: number): Promise<Buffer> {
  const raw = Buffer.alloc(side * side * 4 * frames, 255);
  for (let frame = 0; frame < frames; frame++) raw[frame * side * side * 4] = frame;
  const input = { width: side, height: side * frames, channels: 4, pageHeight: side } as const;
  return sharp(raw, { raw: input }).toFormat(format, { effort: 1 }).toBuffer();
}

describe("a thumbnail", () => {
  it.each(["png", "jpeg", "webp", "gif", "avif"] as const)("is created from %s", async (format) => {
    const content = await plain(800, 400).toFormat(format).toBuffer();
    const created = await thumbnails().get(source(content), 256);
    const { width, height, format: made2 } = await sharp(created).metadata();
    expect({ width, height, format: made2 }).toEqual({ width: 256, height: 128, format: "webp" });
  });

  it("is not animated, contains no metadata, and is not enlarged", async () => {
    const content = await plain(60, 30)
      .withExif({ IFD0: { Copyright: "a secret place" } })
      .jpeg()
      .toBuffer();
    const created = await thumbnails().get(source(content), 256);
    const { width, exif, pages } = await sharp(created).metadata();
    expect({ width, exif, pages }).toEqual({ width: 60, exif: undefined, pages: undefined });
  });

  it("is created once for concurrent requests, and again when it is too old", async () => {
    const picture = source(await plain(800, 400).png().toBuffer());
    const first = thumbnails({});
    await Promise.all([first.get(picture, 100), first.get(picture, 128), first.get(picture, 65)]);
    await thumbnails({}).get(picture, 128);
    expect(picture.reads()).toBe(1);
    await first.get({ ...picture, maxAgeMs: -1 }, 128);
    expect(picture.reads()).toBe(2);
  });

  it("is evicted when there are too many, the oldest first", async () => {
    const created = thumbnails({ files: 10 });
    const content = await plain(8, 8).png().toBuffer();
    for (let i = 0; i < 15; i++) await created.get(source(content, `picture ${i}`), 64);
    expect((await readdir(folder)).length).toBeLessThanOrEqual(10);
    const last = source(content, "picture 14");
    await created.get(last, 64);
    expect(last.reads()).toBe(0);
  });

  it("of an SVG reads no local files and runs no scripts", async () => {
    const red = await plain(200, 100).png().toBuffer();
    const files = [`${folder}/red.png`, `file://${folder}/red.png`, "red.png"];
    await sharp(red).toFile(join(folder, "red.png"));
    const inside = files.map(
      (href) => `<image xlink:href="${href}" href="${href}" width="200" height="100"/>`,
    );
    const script = `<script>while(true){}</script><foreignObject><iframe src="http://127.0.0.1:9"/></foreignObject>`;
    const created = await thumbnails().get(source(svg(inside.join("") + script)), 64);
    const { data } = await sharp(created).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(data.every((byte) => byte === 0)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["an HTML page", "<html><script>alert(1)</script></html>"],
    ["plain text", "hello"],
    ["a truncated image", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
    ["an image of a trillion pixels", pngBomb(1_000_000)],
    ["an image of too many pixels", pngBomb(20_000)],
    ["an SVG with enormous dimensions", svg("<rect/>", 'width="9999999" height="9999999"')],
    [
      "an SVG with an external entity",
      `<!DOCTYPE svg [<!ENTITY e SYSTEM "file:///etc/passwd">]>${svg("<text>&e;</text>")}`,
    ],
    ["a PDF document", "%PDF-1.7\n1 0 obj"],
    ["an unsupported format", "#!AMR-x"],
  ])("is not created from %s", async (_, content) => {
    await expect(thumbnails().get(source(content), 64)).rejects.toMatchObject({ code: 143, status: 415 });
  });

  it("is not created if it takes too long, and the next one is", async () => {
    const created = thumbnails({ transformMs: 1_500 });
    const filter = `<filter id="f"><feTurbulence numOctaves="9" baseFrequency="0.9"/></filter>`;
    const slow = svg(filter + `<rect width="200" height="100" filter="url(#f)"/>`.repeat(50_000));
    await expect(created.get(source(slow, "slow"), 64)).rejects.toMatchObject({
      message: expect.stringContaining("too long"),
    });
    const content = await plain(80, 40).png().toBuffer();
    expect((await created.get(source(content, "quick"), 64)).length).toBeGreaterThan(0);
  });

  it("that could not be created is not retried immediately, in any width", async () => {
    const text = source("hello");
    const created = thumbnails();
    for (const width of [64, 64, 512, 1024]) {
      await expect(created.get(text, width)).rejects.toMatchObject({ code: 143 });
    }
    expect(text.reads()).toBe(1);
  });

  it("that could not be read because a store was unavailable is created as soon as it can be read", async () => {
    const picture = source(await plain(80, 40).png().toBuffer());
    const created = thumbnails();
    const unavailable = new ProtocolError(100, "The file store is unavailable.", 503);
    const failing = { name: picture.name, read: () => Promise.reject(unavailable) };
    await expect(created.get(failing, 64)).rejects.toBe(unavailable);
    expect((await created.get(picture, 64)).length).toBeGreaterThan(0);
  });

  if (NIGHTLY)
    it("is not created if it takes too much memory, and the next one is", async () => {
      const created = thumbnails({ memoryMb: 170 });
      const large = source(drawingOfPictures(60), "large");
      await expect(created.get(large, 64)).rejects.toMatchObject({ code: 143, status: 415 });
      const content = await plain(80, 40).png().toBuffer();
      expect((await created.get(source(content, "small"), 64)).length).toBeGreaterThan(0);
    });

  const large: [string, () => Promise<Buffer> | Buffer | string][] = [
    ["hundreds of frames as GIF", () => animation("gif", 400, 100)],
    ["an SVG of many large images", () => drawingOfPictures(20)],
    ["hundreds of frames as WebP", () => animation("webp", 200, 100)],
    ["text that decompresses to 400 MB", () => chunkBomb("zTXt", "a\0\0")],
    ["a color profile that decompresses to 400 MB", () => chunkBomb("iCCP", "a\0\0")],
  ];
  it.each(NIGHTLY ? large : large.slice(0, 2))(
    "of %s takes the memory of one image, or is not created",
    async (_, content) => {
      // Images that exceed the limit are rejected; the others stayed below it.
      const created = thumbnails({ memoryMb: 400 });
      const bytes = await content();
      const answer = await created.get(source(bytes), 64).catch((error: unknown) => error);
      if (!Buffer.isBuffer(answer)) return expect(answer).toMatchObject({ code: 143, status: 415 });
      expect((await sharp(answer).metadata()).pages).toBeUndefined();
    },
  );

  if (NIGHTLY)
    it("of an SVG with endless references is not created, or empty", async () => {
      const uses = Array.from(
        { length: 12 },
        (_, i) => `<g id="g${i + 1}">${`<use href="#g${i}"/>`.repeat(10)}</g>`,
      );
      const content = svg(`<defs><g id="g0"/>${uses.join("")}</defs><use href="#g12"/>`);
      await expect(thumbnails({ transformMs: 2_000 }).get(source(content), 64)).rejects.toMatchObject({
        code: 143,
      });
    });

  it("of an SVG sends no requests for its references", async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
    const content = `<?xml version="1.0"?><?xml-stylesheet href="${url}.css"?>
      <!DOCTYPE svg [<!ENTITY % e SYSTEM "${url}.dtd"> %e;]>${svg(
        `<image href="${url}.png" xlink:href="${url}.png" width="9" height="9"/><use href="${url}.svg#a"/>
         <style>@import url(${url}.css); @font-face { font-family: f; src: url(${url}.woff) } text { font-family: f }</style>
         <filter id="f"><feImage href="${url}.png"/></filter><rect width="9" height="9" filter="url(${url}#f)"/>
         <text>a</text><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${url}.xml"/>`,
      )}`;
    await thumbnails()
      .get(source(content), 64)
      .catch((error: unknown) => expect(error).toMatchObject({ code: 143 }));
    server.close();
    expect(requests).toBe(0);
  });

  it.each(["png", "jpeg", "webp", "gif", "avif"] as const)(
    "of %s that is truncated or corrupted is created or rejected, and decoding continues",
    { timeout: 120_000 },
    async (format) => {
      const whole = await plain(64, 64)
        .withExif({ IFD0: { Copyright: "x".repeat(200) } })
        .withIccProfile("p3")
        .toFormat(format)
        .toBuffer();
      const created = thumbnails();
      let seed = 42;
      const random = (below: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
        return seed % below;
      };
      for (let i = 0; i < CHANGED_IMAGES; i++) {
        const changed = Buffer.from(whole.subarray(0, i % 3 === 0 ? random(whole.length) : whole.length));
        for (let n = 0; n < 4 && changed.length > 0; n++) changed[random(changed.length)] = random(256);
        const answer = await created
          .get(source(changed, `changed ${format} ${i}`), 64)
          .catch((error: unknown) => error);
        if (!Buffer.isBuffer(answer)) expect(answer).toMatchObject({ code: 143, status: 415 });
      }
      expect((await created.get(source(whole), 64)).length).toBeGreaterThan(0);
    },
  );

  it("is evicted when all are too large in total, the oldest first", async () => {
    const noise = Buffer.from(Array.from({ length: 64 * 64 * 3 }, (_, i) => (i * 7_919) % 251));
    const content = await sharp(noise, { raw: { width: 64, height: 64, channels: 3 } })
      .png()
      .toBuffer();
    const size = (await thumbnails().get(source(content), 64)).length;
    const created = thumbnails({ bytes: size * 5 });
    for (let i = 0; i < 12; i++) await created.get(source(content, `noise ${i}`), 64);
    expect((await readdir(folder)).length).toBeLessThanOrEqual(5);
  });
});

describe("a transformed image", () => {
  const transform: ImageTransform = { width: 300, height: 200, fit: "inside", format: "webp", quality: 80 };

  it("fits into the requested box, or covers it", async () => {
    const images = transformedImages();
    const picture = source(await plain(800, 400).png().toBuffer());
    const sizeOf = async (fit: ImageTransform["fit"]) => {
      const { width, height } = await sharp(await images.get(picture, { ...transform, fit }, "a")).metadata();
      return { width, height };
    };
    expect(await sizeOf("inside")).toEqual({ width: 300, height: 150 });
    expect(await sizeOf("cover")).toEqual({ width: 300, height: 200 });
  });

  it.each(["webp", "jpeg", "png", "avif"] as const)("has the requested format %s", async (format) => {
    const picture = source(await plain(80, 40).png().toBuffer());
    const image = await transformedImages().get(picture, { ...transform, format }, "a");
    expect((await sharp(image).metadata()).format).toBe(format === "avif" ? "heif" : format);
  });

  it("is smaller with a lower quality", async () => {
    const noise = Buffer.from(Array.from({ length: 200 * 200 * 3 }, (_, i) => (i * 7_919) % 251));
    const raw = { width: 200, height: 200, channels: 3 } as const;
    const picture = source(await sharp(noise, { raw }).png().toBuffer());
    const images = transformedImages();
    const sizeOf = async (quality: number) =>
      (await images.get(picture, { ...transform, quality }, "a")).length;
    expect(await sizeOf(20)).toBeLessThan((await sizeOf(90)) / 2);
  });

  it("of one client waits for one of another client, not for all of them", async () => {
    const images = transformedImages();
    const content = await plain(40, 40).png().toBuffer();
    const finished: string[] = [];
    const request = async (client: string, name: string) => {
      await images.get(source(content, name), transform, client);
      finished.push(client);
    };
    const many = Array.from({ length: 60 }, (_, i) => request("greedy", `greedy ${i}`));
    await Promise.all([...many, request("modest", "modest")]);
    expect(finished.indexOf("modest")).toBeLessThan(30);
  });

  it("is rejected with 429 if a client has a hundred waiting", async () => {
    const images = transformedImages();
    const content = await plain(40, 40).png().toBuffer();
    const requests = Array.from({ length: 150 }, (_, i) =>
      images.get(source(content, `many ${i}`), transform, "greedy"),
    );
    const outcomes = await Promise.allSettled([
      ...requests,
      images.get(source(content, "one"), transform, "modest"),
    ]);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused).toEqual(
      refused.map(() => ({ status: "rejected", reason: expect.objectContaining({ status: 429 }) })),
    );
    expect(outcomes.at(-1)?.status).toBe("fulfilled");
  });
});
