import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { APP_ID, type Nodes, send, startNodes } from "../support/nodes.ts";

const folder = mkdtempSync(join(tmpdir(), "purse-shared-"));
let nodes: Nodes;
let a: string;
let b: string;
let sessionToken: string;
let users = 0;

beforeAll(async () => {
  nodes = await startNodes(2, {
    ...(await databaseEnv("PostgreSQL")),
    PURSE_DATA_DIR: folder,
    PURSE_FILES_SHARED: "0",
    PURSE_MAX_UPLOADS_PER_CLIENT: "2",
    PURSE_CHAINS: "",
  });
  [a = "", b = ""] = nodes.urls;
});
beforeEach(async () => {
  users += 1;
  const user = { username: `user${users}`, password: "a long password" };
  sessionToken = String((await send(a, "POST", "/users", user)).body.sessionToken);
});
afterAll(async () => {
  await nodes?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const CHUNK = { "Content-Type": "application/offset+octet-stream" };

function headers() {
  return {
    "X-Parse-Application-Id": APP_ID,
    "X-Parse-Session-Token": sessionToken,
    "Tus-Resumable": "1.0.0",
  };
}

/** A request of the tus protocol. */
function tus(method: string, url: string, more: Record<string, string> = {}, body?: Uint8Array<ArrayBuffer>) {
  return fetch(url, { method, headers: { ...headers(), ...more }, body: body ?? null });
}

/** Begins an upload of ten bytes on a server. Returns the status, and its path on all servers. */
async function begin(url: string) {
  const { status, headers } = await tus("POST", `${url}/server/files/resumable`, {
    "Upload-Length": "10",
    "Upload-Metadata": `filename ${Buffer.from("a.bin").toString("base64")}`,
  });
  return { status, path: `/server/files/resumable/${headers.get("location")?.split("/").at(-1)}` };
}

function append(url: string, offset: number, length: number) {
  return tus("PATCH", url, { ...CHUNK, "Upload-Offset": String(offset) }, new Uint8Array(length));
}

/** Sends some bytes of a chunk of ten; the function that is returned ends the request. */
async function appendSlowly(url: string, length: number): Promise<() => Promise<void>> {
  const request = httpRequest(url, {
    method: "PATCH",
    headers: { ...headers(), ...CHUNK, "Upload-Offset": "0", "Content-Length": "10" },
  });
  const closed = new Promise<void>((resolve) => request.once("close", resolve));
  request.on("error", () => undefined);
  request.write(new Uint8Array(length));
  const offset = async () => (await tus("HEAD", url)).headers.get("upload-offset");
  await expect.poll(offset).toBe(String(length));
  return async () => {
    request.destroy();
    await closed;
  };
}

describe("two servers on PostgreSQL with one folder for files", () => {
  it("continue each other's resumable uploads", async () => {
    const { path } = await begin(a);
    expect((await append(a + path, 0, 4)).status).toBe(204);
    expect((await append(b + path, 4, 6)).status).toBe(204);
    const file = (await tus("HEAD", a + path)).headers.get("x-parse-file-url") ?? "";
    expect((await (await fetch(file)).arrayBuffer()).byteLength).toBe(10);
  });

  it("do not append to an upload while the other one does", async () => {
    const { path } = await begin(a);
    const abort = await appendSlowly(a + path, 5);
    expect((await append(b + path, 5, 5)).status).toBe(423);
    expect((await tus("DELETE", b + path)).status).toBe(423);
    await abort();
    await expect.poll(async () => (await append(b + path, 5, 5)).status, { timeout: 10_000 }).toBe(204);
  });

  it("count no uploads any more that the other one has finished or removed", async () => {
    const [first, second] = [await begin(a), await begin(a)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect((await begin(a)).status).toBe(429);
    await append(b + first.path, 0, 10);
    await tus("DELETE", b + second.path);
    expect([(await begin(a)).status, (await begin(a)).status]).toEqual([201, 201]);
  });

  it("count the uploads that the other one has begun", async () => {
    await begin(a);
    await begin(a);
    expect((await begin(b)).status).toBe(429);
  });
});
