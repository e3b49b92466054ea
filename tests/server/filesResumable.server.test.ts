import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hostPurse, type Purse, type PurseProcess, signUp, startPurse } from "../support/purse.ts";

let purse: Purse;
/** The first server, which is killed. */
let dying: PurseProcess;
let sessionToken: string;

beforeAll(async () => {
  dying = await startPurse({ env: { PURSE_MAX_UPLOAD_SIZE: "1mb" } });
  purse = dying;
});
beforeEach(async () => {
  sessionToken = (await signUp(purse)).sessionToken;
});
afterAll(() => purse.remove());

/** A request of the tus protocol. */
function tus(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body?: Uint8Array<ArrayBuffer>,
) {
  return fetch(url, {
    method,
    headers: {
      "X-Parse-Application-Id": purse.appId,
      "X-Parse-Session-Token": sessionToken,
      "Tus-Resumable": "1.0.0",
      ...headers,
    },
    body: body ?? null,
  });
}

function metadata(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join(",");
}

function begin(length: number, values: Record<string, string> = { filename: "a.bin" }) {
  return tus("POST", `${purse.serverUrl}/files/resumable`, {
    "Upload-Length": String(length),
    "Upload-Metadata": metadata(values),
  });
}

function append(
  url: string,
  offset: number,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const type = "application/offset+octet-stream";
  return tus("PATCH", url, { "Upload-Offset": String(offset), "Content-Type": type, ...headers }, body);
}

describe("resumable uploads", () => {
  it("resume after an interruption and a restart, and become files", async () => {
    const content = new Uint8Array(randomBytes(300_000));
    const begun = await begin(300_000, {
      filename: "a.bin",
      tags: '{"color":"red"}',
      metadata: '{"by":"ann"}',
    });
    expect(begun.status).toBe(201);
    const url = begun.headers.get("location") ?? "";
    const first = await append(url, 0, content.slice(0, 100_000));
    expect([first.status, first.headers.get("upload-offset")]).toEqual([204, "100000"]);

    await dying.kill();
    purse = await hostPurse({
      dataDir: purse.dataDir,
      port: purse.port,
      env: { PURSE_MAX_UPLOAD_SIZE: "1mb" },
    });
    const head = await tus("HEAD", url);
    expect([head.status, head.headers.get("upload-offset"), head.headers.get("upload-length")]).toEqual([
      200,
      "100000",
      "300000",
    ]);
    const last = await append(url, 100_000, content.slice(100_000));
    expect(last.status).toBe(204);
    const file = last.headers.get("x-parse-file-url") ?? "";
    expect(last.headers.get("x-parse-file-name")).toMatch(/^[0-9a-f]{32}_a\.bin$/);
    expect(Buffer.from(await (await fetch(file)).arrayBuffer()).equals(content)).toBe(true);
    const about = await fetch(file.replace("/test-app/", "/test-app/metadata/"));
    expect(await about.json()).toEqual({ metadata: { by: "ann" }, tags: { color: "red" } });
    expect((await tus("HEAD", url)).headers.get("x-parse-file-url")).toBe(file);
  });

  it("have the permissions and limits of uploads", async () => {
    expect((await begin(2 * 1024 * 1024)).status).toBe(413);
    expect(await (await begin(10, { filename: "../a" })).json()).toMatchObject({ code: 122 });
    expect(await (await begin(10, {})).json()).toMatchObject({ code: 122 });
    expect(await (await begin(10, { filename: "a.svg" })).json()).toMatchObject({ code: 130 });
    expect(await (await begin(10, { filename: "a.txt", directory: "d" })).json()).toMatchObject({
      code: 119,
    });
    expect(await (await begin(10, { filename: "a.txt", tags: "[" })).json()).toMatchObject({ code: 107 });
    expect((await begin(Number.NaN)).status).toBe(400);
    sessionToken = "";
    expect(await (await begin(10)).json()).toMatchObject({ code: 130 });
  });

  it("cannot be continued by other users", async () => {
    const url = (await begin(10)).headers.get("location") ?? "";
    sessionToken = (await signUp(purse)).sessionToken;
    expect((await tus("HEAD", url)).status).toBe(404);
    expect((await append(url, 0, new Uint8Array(5))).status).toBe(404);
    expect((await tus("DELETE", url)).status).toBe(404);
    expect((await tus("HEAD", `${purse.serverUrl}/files/resumable/..%2f..%2fkeys`)).status).toBe(404);
  });

  it("reject chunks that do not match", async () => {
    const url = (await begin(10)).headers.get("location") ?? "";
    expect((await append(url, 3, new Uint8Array(5))).status).toBe(409);
    expect((await append(url, 0, new Uint8Array(11))).status).toBe(413);
    expect((await append(url, 0, new Uint8Array(5), { "Content-Type": "text/plain" })).status).toBe(415);
    const old = await append(url, 0, new Uint8Array(5), { "Tus-Resumable": "0.2.2" });
    expect([old.status, old.headers.get("tus-version")]).toEqual([412, "1.0.0"]);
    expect((await tus("HEAD", url)).headers.get("upload-offset")).toBe("0");
  });

  it("can be deleted by their creator, and leave no files", async () => {
    const begun = await begin(10);
    const url = begun.headers.get("location") ?? "";
    expect(Date.parse(begun.headers.get("upload-expires") ?? "")).toBeGreaterThan(Date.now());
    expect((await tus("DELETE", url)).status).toBe(204);
    expect((await tus("HEAD", url)).status).toBe(404);
    const id = url.split("/").at(-1) ?? "";
    expect(readdirSync(join(purse.dataDir, "uploads")).filter((name) => name.startsWith(id))).toEqual([]);
  });

  it("support CORS preflights of browsers", async () => {
    const answer = await fetch(`${purse.serverUrl}/files/resumable`, { method: "OPTIONS" });
    expect(answer.headers.get("tus-extension")).toBe("creation,expiration,termination");
    expect(answer.headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(answer.headers.get("access-control-allow-headers")).toContain("Upload-Offset");
  });
});
