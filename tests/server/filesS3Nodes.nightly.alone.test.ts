import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { APP_ID, MASTER_KEY, type Nodes, startNodes } from "../support/nodes.ts";
import { type S3Server, startS3Server } from "../support/s3Server.ts";

let s3: S3Server;
let nodes: Nodes;
let a: string;
let b: string;

beforeAll(async () => {
  s3 = await startS3Server();
  Object.assign(process.env, s3.env);
  // Each has a data folder of its own, and does not say that they are shared.
  nodes = await startNodes(2, {
    ...(await databaseEnv("PostgreSQL")),
    ...s3.env,
    PURSE_FILES_SHARED: "0",
    PURSE_CHAINS: "",
    PURSE_MAX_UPLOAD_SIZE: "20mb",
  });
  [a = "", b = ""] = nodes.urls;
});
afterAll(async () => {
  await nodes?.remove();
  await s3?.stop();
});

const HEADERS = {
  "X-Parse-Application-Id": APP_ID,
  "X-Parse-Master-Key": MASTER_KEY,
  "Tus-Resumable": "1.0.0",
};
const CHUNK = { "Content-Type": "application/offset+octet-stream" };

/** A request of the tus protocol. */
function tus(method: string, url: string, headers: Record<string, string>, body?: Uint8Array<ArrayBuffer>) {
  return fetch(url, { method, headers: { ...HEADERS, ...headers }, body: body ?? null });
}

/** Begins an upload on the first server. Returns its URLs on both. */
async function begin(length: number, name = "large.bin") {
  const response = await tus("POST", `${a}/server/files/resumable`, {
    "Upload-Length": String(length),
    "Upload-Metadata": `filename ${Buffer.from(name).toString("base64")}`,
  });
  expect(response.status).toBe(201);
  const id = response.headers.get("location")?.split("/").at(-1);
  return { onA: `${a}/server/files/resumable/${id}`, onB: `${b}/server/files/resumable/${id}`, id };
}

function append(url: string, offset: number, body: Uint8Array<ArrayBuffer>) {
  return tus("PATCH", url, { ...CHUNK, "Upload-Offset": String(offset) }, body);
}

async function offsetOn(url: string) {
  return (await tus("HEAD", url, {})).headers.get("upload-offset");
}

/** Sends some bytes, and breaks the connection. */
function sendAndBreak(url: string, body: Uint8Array, length: number): Promise<void> {
  return new Promise((resolve) => {
    const headers = { ...HEADERS, ...CHUNK, "Upload-Offset": "0", "Content-Length": String(length) };
    const request = httpRequest(url, { method: "PATCH", headers });
    request.on("error", () => resolve());
    request.write(body, () => request.destroy());
  });
}

describe("two servers on PostgreSQL with files in S3 and no shared folder", () => {
  it("continue each other's resumable uploads, in parts and in the bytes after them", async () => {
    const content = new Uint8Array(randomBytes(10 * 1024 * 1024));
    const upload = await begin(content.length);
    const cuts = [0, 9_000_000, 9_000_100, content.length];
    const urls = [upload.onA, upload.onB, upload.onA];
    for (const [i, url] of urls.entries()) {
      const response = await append(url, cuts[i] ?? 0, content.slice(cuts[i], cuts[i + 1]));
      expect([response.status, response.headers.get("upload-offset")]).toEqual([204, String(cuts[i + 1])]);
    }
    const file = (await tus("HEAD", upload.onB, {})).headers.get("x-parse-file-url") ?? "";
    const served = await fetch(file.replace(a, b));
    expect(Buffer.from(await served.arrayBuffer()).equals(content)).toBe(true);
    // Only the file is left of it.
    expect(s3.objects().filter((path) => path.includes("/resumable/"))).toEqual([]);
  });

  it("keep what has arrived before a connection breaks, and go on from there", async () => {
    const content = new Uint8Array(randomBytes(300_000));
    const upload = await begin(content.length);
    await sendAndBreak(upload.onA, content.slice(0, 200_000), content.length);
    // What the system had not delivered when the connection broke is lost.
    await expect.poll(async () => Number(await offsetOn(upload.onB)), { timeout: 20_000 }).toBeGreaterThan(0);
    const finish = async () => {
      const offset = Number(await offsetOn(upload.onB));
      return (await append(upload.onB, offset, content.slice(offset))).status;
    };
    await expect.poll(finish, { timeout: 20_000 }).toBe(204);
    const file = (await tus("HEAD", upload.onA, {})).headers.get("x-parse-file-url") ?? "";
    expect(Buffer.from(await (await fetch(file)).arrayBuffer()).equals(content)).toBe(true);
  });

  it("accept only one of two requests that append at the same time", async () => {
    const upload = await begin(10);
    const [one, two] = await Promise.all([
      append(upload.onA, 0, new Uint8Array(5)),
      append(upload.onB, 0, new Uint8Array(5)),
    ]);
    const statuses = [one.status, two.status].sort();
    expect(statuses[0]).toBe(204);
    expect([409, 423]).toContain(statuses[1]);
    expect(await offsetOn(upload.onB)).toBe("5");
  });

  it("leave nothing in the bucket of an upload that is deleted", async () => {
    const upload = await begin(10);
    await append(upload.onA, 0, new Uint8Array(5));
    expect(s3.objects().some((path) => path.includes(`${upload.id}.0`))).toBe(true);
    expect((await tus("DELETE", upload.onB, {})).status).toBe(204);
    expect((await tus("HEAD", upload.onA, {})).status).toBe(404);
    expect(s3.objects().filter((path) => path.includes(String(upload.id)))).toEqual([]);
  });

  it("serve, list and unpin each other's IPFS content", async () => {
    const content = randomBytes(300_000).toString("base64");
    const uploaded = await fetch(`${a}/api/v2/ipfs/uploadFolder`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([{ path: "large.bin", content }]),
    });
    const [file]: { path: string }[] = await uploaded.json();
    const path = file?.path ?? "";
    const onB = path.replace(/^https?:\/\/[^/]+/, b);
    expect(Buffer.from(await (await fetch(onB)).arrayBuffer()).toString("base64")).toBe(content);
    const cid = String(path.split("/").at(-2));
    const pins = async (url: string) => (await fetch(`${url}/server/ipfs/pins`, { headers: HEADERS })).json();
    expect(await pins(b)).toEqual({ results: [{ cid, pinnedAt: expect.stringMatching(/^\d{4}-.*Z$/) }] });
    const unpinned = await fetch(`${b}/server/ipfs/pins/${cid}`, { method: "DELETE", headers: HEADERS });
    expect(unpinned.status).toBe(200);
    expect([await pins(a), (await fetch(path)).status]).toEqual([{ results: [] }, 404]);
    expect(s3.objects().filter((key) => key.includes("/ipfs/"))).toEqual([]);
  });

  it("create a thumbnail once for both", async () => {
    const image = await sharp({ create: { width: 400, height: 400, channels: 3, background: "#f00" } })
      .png()
      .toBuffer();
    const saved = await fetch(`${a}/server/files/a.png`, {
      method: "POST",
      headers: HEADERS,
      body: new Uint8Array(image),
    });
    const { url }: { url: string } = await saved.json();
    const thumbnails = () => s3.objects().filter((path) => path.includes("/thumbnails/"));
    const first = await fetch(`${url}?width=64`);
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "image/webp"]);
    const stored = thumbnails();
    expect(stored.length).toBeGreaterThan(0);
    const second = await fetch(`${url.replace(a, b)}?width=64`);
    expect(Buffer.from(await second.arrayBuffer()).equals(Buffer.from(await first.arrayBuffer()))).toBe(true);
    expect(thumbnails()).toEqual(stored);
  });
});
