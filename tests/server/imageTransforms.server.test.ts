import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse } from "../support/purse.ts";

/** Rejects downloads of files whose names contain "private" without a session. */
const CLOUD = `
  Parse.Cloud.beforeFind(Parse.File, ({ file, user }) => {
    if (file.name().includes("private") && !user) throw "only for users";
  });
`;

let folder: string;
let purse: Purse;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "purse-transforms-"));
  writeFileSync(join(folder, "main.js"), CLOUD);
  purse = await hostPurse({ env: { PURSE_CLOUD: join(folder, "main.js") } });
});
afterAll(async () => {
  await purse?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function upload(name: string, content: Uint8Array | string): Promise<string> {
  const headers = { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey };
  const response = await fetch(`${purse.serverUrl}/files/${name}`, {
    method: "POST",
    headers,
    body: typeof content === "string" ? content : Uint8Array.from(content),
  });
  const { url } = (await response.json()) as { url: string };
  return url;
}

function picture(width = 800, height = 400): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: "#36c" } })
    .png()
    .toBuffer();
}

const imageOf = async (response: Response) => sharp(Buffer.from(await response.arrayBuffer())).metadata();

describe("an uploaded image", () => {
  it("is returned in the size and format of its URL", async () => {
    const url = await upload("picture.png", await picture());
    const response = await fetch(`${url}?width=300&height=200&fit=cover&format=jpeg&quality=70`);
    expect(response.headers.get("content-type")).toBe("image/jpeg");
    expect(response.headers.get("content-disposition")).toContain('inline; filename="picture.jpeg"');
    const { width, height, format } = await imageOf(response);
    expect({ width, height, format }).toEqual({ width: 300, height: 200, format: "jpeg" });
    expect((await imageOf(await fetch(url))).width).toBe(800);
  });

  it("in another size returns 304 to a client with a current copy", async () => {
    const url = `${await upload("picture.png", await picture())}?width=64`;
    const etag = (await fetch(url)).headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
  });

  it("in another size requires permission to download the file", async () => {
    const url = `${await upload("private.png", await picture())}?width=64`;
    const refused = await fetch(url);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: "only for users" });
    expect(refused.headers.get("cache-control")).not.toContain("public");
  });

  it("is not confused with another one of the same name", async () => {
    const urls = [
      await upload("same.png", await picture(100, 50)),
      await upload("same.png", await picture(50, 100)),
    ];
    const sizes = await Promise.all(
      urls.map(async (url) => (await imageOf(await fetch(`${url}?width=20&format=png`))).height),
    );
    expect(sizes).toEqual([10, 40]);
  });

  it("in SVG format is rendered without scripts", async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><script>alert(1)</script><rect width="90" height="30"/></svg>`;
    const url = await upload("drawing.svg", svg);
    const response = await fetch(`${url}?format=png`);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect((await imageOf(response)).width).toBe(90);
  });

  it.each([
    ["width=0", 400, 142],
    ["width=99999", 400, 142],
    ["width=10&fit=fill", 400, 142],
    ["format=exe", 400, 142],
  ])("is rejected for ?%s", async (search, status, code) => {
    const response = await fetch(`${await upload("picture.png", await picture(8, 8))}?${search}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  it("with invalid content is rejected with 415, and returned unchanged without parameters", async () => {
    const url = await upload("broken.png", "no picture");
    const response = await fetch(`${url}?width=10`);
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ code: 143 });
    expect(await (await fetch(url)).text()).toBe("no picture");
  });
});

it("a file that is not an image is returned unchanged for any parameters", async () => {
  const url = await upload("notes.txt", "hello");
  const response = await fetch(`${url}?width=10&format=png`);
  expect(response.headers.get("content-type")).toContain("text/plain");
  expect(await response.text()).toBe("hello");
});
