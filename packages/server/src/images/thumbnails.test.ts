import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ThumbnailLimits, Thumbnails } from "./thumbnails.ts";

let folder: string;
const open: Thumbnails[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-thumbnails-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.stop()));
  await rm(folder, { recursive: true });
});

function thumbnails(limits: ThumbnailLimits = {}): Thumbnails {
  const made = new Thumbnails(folder, limits);
  open.push(made);
  return made;
}

function source(content: string | Uint8Array, name = "picture") {
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

/** A PNG of a few bytes that says it has that many pixels. */
function pngBomb(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 6], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.alloc(1_000)))]);
}

describe("a thumbnail", () => {
  it.each(["png", "jpeg", "webp", "gif", "avif"] as const)("is made of %s", async (format) => {
    const content = await plain(800, 400).toFormat(format).toBuffer();
    const made = await thumbnails().of(source(content), 256);
    const { width, height, format: made2 } = await sharp(made).metadata();
    expect({ width, height, format: made2 }).toEqual({ width: 256, height: 128, format: "webp" });
  });

  it("is still, keeps nothing that was written beside the picture, and is no larger than that", async () => {
    const content = await plain(60, 30)
      .withExif({ IFD0: { Copyright: "a secret place" } })
      .jpeg()
      .toBuffer();
    const made = await thumbnails().of(source(content), 256);
    const { width, exif, pages } = await sharp(made).metadata();
    expect({ width, exif, pages }).toEqual({ width: 60, exif: undefined, pages: undefined });
  });

  it("is made once, however many ask, and again when it is too old", async () => {
    const picture = source(await plain(800, 400).png().toBuffer());
    const first = thumbnails();
    await Promise.all([first.of(picture, 100), first.of(picture, 128), first.of(picture, 65)]);
    await thumbnails().of(picture, 128);
    expect(picture.reads()).toBe(1);
    await first.of({ ...picture, maxAgeMs: -1 }, 128);
    expect(picture.reads()).toBe(2);
  });

  it("goes when there are too many, the oldest first", async () => {
    const made = thumbnails({ files: 10 });
    const content = await plain(8, 8).png().toBuffer();
    for (let i = 0; i < 15; i++) await made.of(source(content, `picture ${i}`), 64);
    expect((await readdir(folder)).length).toBeLessThanOrEqual(10);
    const last = source(content, "picture 14");
    await made.of(last, 64);
    expect(last.reads()).toBe(0);
  });

  it("of a drawing shows nothing of the machine and runs nothing", async () => {
    const red = await plain(200, 100).png().toBuffer();
    const files = [`${folder}/red.png`, `file://${folder}/red.png`, "red.png"];
    await sharp(red).toFile(join(folder, "red.png"));
    const inside = files.map(
      (href) => `<image xlink:href="${href}" href="${href}" width="200" height="100"/>`,
    );
    const script = `<script>while(true){}</script><foreignObject><iframe src="http://127.0.0.1:9"/></foreignObject>`;
    const made = await thumbnails().of(source(svg(inside.join("") + script)), 64);
    const { data } = await sharp(made).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(data.every((byte) => byte === 0)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["a page", "<html><script>alert(1)</script></html>"],
    ["a text", "hello"],
    ["a picture cut short", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
    ["a picture of a trillion pixels", pngBomb(1_000_000)],
    ["a picture of too many pixels", pngBomb(20_000)],
    ["a drawing that says it is enormous", svg("<rect/>", 'width="9999999" height="9999999"')],
    [
      "a drawing that reads files",
      `<!DOCTYPE svg [<!ENTITY e SYSTEM "file:///etc/passwd">]>${svg("<text>&e;</text>")}`,
    ],
    ["a document", "%PDF-1.7\n1 0 obj"],
    ["a format that is not for pictures here", "#!AMR-x"],
  ])("is not made of %s", async (_, content) => {
    await expect(thumbnails().of(source(content), 64)).rejects.toMatchObject({ code: 143, status: 415 });
  });

  it("is not made of what takes too long, and the next one is", { timeout: 60_000 }, async () => {
    const made = thumbnails({ pictureMs: 3_000 });
    const filter = `<filter id="f"><feTurbulence numOctaves="9" baseFrequency="0.9"/></filter>`;
    const slow = svg(filter + `<rect width="200" height="100" filter="url(#f)"/>`.repeat(50_000));
    const started = Date.now();
    await expect(made.of(source(slow, "slow"), 64)).rejects.toMatchObject({
      message: expect.stringContaining("too long"),
    });
    expect(Date.now() - started).toBeLessThan(40_000);
    const content = await plain(80, 40).png().toBuffer();
    expect((await made.of(source(content, "quick"), 64)).length).toBeGreaterThan(0);
  });

  it("that could not be made is not tried again at once", async () => {
    const text = source("hello");
    const made = thumbnails();
    for (let i = 0; i < 3; i++) await expect(made.of(text, 64)).rejects.toMatchObject({ code: 143 });
    expect(text.reads()).toBe(1);
  });
});
