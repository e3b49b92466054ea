import { crc32, deflateSync } from "node:zlib";
import { type RequestAttack, repeat } from "./requestAttack.ts";
import { applicationHeaders, type Target } from "./target.ts";

/** Side of the square pictures, in pixels: 16 megapixels. */
const SIDE = 4_000;
const PICTURES = 9;

const pictures = new WeakMap<Target, Promise<string[]>>();

/** Uploads the pictures, once for a server; returns the paths of their URLs. */
export function picturesOf(target: Target): Promise<string[]> {
  const known = pictures.get(target) ?? uploadPictures(target);
  pictures.set(target, known);
  return known;
}

async function uploadPictures({ purse, sessionToken }: Target): Promise<string[]> {
  const paths: string[] = [];
  for (let i = 0; i < PICTURES; i++) {
    const response = await fetch(`${purse.serverUrl}/files/picture${i}.png`, {
      method: "POST",
      headers: {
        "X-Parse-Application-Id": purse.appId,
        "X-Parse-Session-Token": sessionToken,
        "Content-Type": "image/png",
      },
      body: new Uint8Array(pngOf(SIDE, i * 20)),
    });
    const { url, error } = (await response.json()) as { url?: string; error?: string };
    if (url === undefined) throw new Error(`A picture was not stored: ${response.status} ${error}`);
    paths.push(new URL(url).pathname);
  }
  return paths;
}

/** A square picture of one shade of gray. */
function pngOf(side: number, shade: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const pixels = Buffer.alloc(side * (side + 1), shade);
  // Each row begins with its filter.
  for (let row = 0; row < side; row++) pixels[row * (side + 1)] = 0;
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunkOf("IHDR", header),
    chunkOf("IDAT", deflateSync(pixels)),
    chunkOf("IEND", Buffer.alloc(0)),
  ]);
}

function chunkOf(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}

const transforms =
  (count: number, transformOf: (i: number) => Record<string, string | number>): RequestAttack["make"] =>
  async (target) => {
    const paths = await picturesOf(target);
    return repeat(count, (i) => ({
      method: "GET",
      path: `${paths[i % paths.length]}?${new URLSearchParams(
        Object.entries(transformOf(i)).map(([name, value]) => [name, String(value)]),
      )}`,
    }));
  };

/** Transforms of large pictures. */
export const IMAGES: readonly RequestAttack[] = [
  {
    generator: "9 large AVIF pictures at a time",
    isConcurrent: true,
    isShort: false,
    make: transforms(PICTURES, () => ({ width: 2048, height: 2048, format: "avif", quality: 100 })),
  },
  {
    generator: "100 sizes at a time",
    isConcurrent: true,
    isShort: false,
    make: transforms(100, (i) => ({ width: 100 + i, height: 100 })),
  },
  {
    generator: "400 sizes that are not allowed",
    isConcurrent: true,
    isShort: false,
    make: transforms(400, (i) => ({ width: 1e6 + i, height: -1, format: "x".repeat(1_000) })),
  },
  {
    generator: "ranges of the pictures",
    isConcurrent: true,
    isShort: false,
    make: async (target) =>
      (await picturesOf(target)).flatMap((path) =>
        repeat(20, (i) => ({
          method: "GET",
          path,
          headers: applicationHeaders(target, { Range: `bytes=${i}-${i + 1},0-` }),
        })),
      ),
  },
];
