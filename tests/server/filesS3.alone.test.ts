import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { emptyDatabaseEnv } from "../support/databases.ts";
import { type Purse, startPurse } from "../support/purse.ts";
import { purseCommand } from "../support/purseCommand.ts";
import { type S3Server, startS3Server } from "../support/s3Server.ts";
import { setUpStudio } from "../support/studio.ts";

let s3: S3Server;
let purse: Purse;

beforeAll(async () => {
  s3 = await startS3Server();
  // For commands, which run in this process.
  Object.assign(process.env, s3.env);
  const backups = s3.env.PURSE_FILES_STORE?.replace("/app?", "/backups?") ?? "";
  purse = await startPurse({
    env: { ...s3.env, PURSE_BACKUPS_STORE: backups, PURSE_MAX_UPLOAD_SIZE: "70mb" },
  });
});
afterAll(async () => {
  await purse.remove();
  await s3.stop();
});

async function upload(name: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(`${purse.serverUrl}/files/${name}`, {
    method: "POST",
    headers: {
      "X-Parse-Application-Id": purse.appId,
      "X-Parse-Master-Key": purse.masterKey,
      ...headers,
    },
    body,
  });
  const answer: { name: string; url: string; hash?: string; code?: number } = await response.json();
  return answer;
}

describe("files in S3", () => {
  it("are stored in S3 only, and served with ranges and ETags", async () => {
    const { url } = await upload("a.txt", new TextEncoder().encode("hello world\n"));
    expect(s3.objects().some((path) => path.includes("a.txt"))).toBe(true);
    expect(existsSync(join(purse.dataDir, "files"))).toBe(false);
    const part = await fetch(url, { headers: { range: "bytes=6-10" } });
    expect([part.status, await part.text()]).toEqual([206, "world"]);
    const etag = part.headers.get("etag") ?? "";
    expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
  });

  it("have metadata and tags, and are added to IPFS", async () => {
    const { name, hash } = await upload("a.txt", new TextEncoder().encode("hello world\n"), {
      "X-Parse-File-Metadata": '{"by":"ann"}',
      "X-Parse-File-Tags": '{"color":"red"}',
      "X-Parse-File-IPFS": "true",
    });
    const about = await fetch(`${purse.serverUrl}/files/test-app/metadata/${name}`);
    expect(await about.json()).toEqual({ metadata: { by: "ann" }, tags: { color: "red" }, hash });
    expect(hash).toBe("QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o");
  });

  it("are deleted in S3", async () => {
    const { name, url } = await upload("gone.txt", new Uint8Array(3), { "X-Parse-File-Tags": '{"a":1}' });
    const remove = () =>
      fetch(`${purse.serverUrl}/files/${name}`, {
        method: "DELETE",
        headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey },
      });
    expect((await remove()).status).toBe(200);
    expect((await fetch(url)).status).toBe(404);
    expect(s3.objects().filter((path) => path.includes("gone"))).toEqual([]);
    expect(await (await remove()).json()).toEqual({ code: 153, error: "Could not delete file." });
  });

  // They send more than 64 MB.
  if (!NIGHTLY) return;

  it("are stored in S3 only, large ones in multipart uploads", async () => {
    const content = new Uint8Array(randomBytes(65 * 1024 * 1024));
    const { url, name } = await upload("large.bin", content);
    const served = await fetch(url);
    expect(Buffer.from(await served.arrayBuffer()).equals(content)).toBe(true);
    expect(s3.objects().some((path) => path.includes(name))).toBe(true);
    expect(existsSync(join(purse.dataDir, "files"))).toBe(false);
  });

  it("are not stored if an upload is too large", async () => {
    const content = new Uint8Array(71 * 1024 * 1024);
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < content.length; at += 1 << 20)
          controller.enqueue(content.subarray(at, at + (1 << 20)));
        controller.close();
      },
    });
    const answer = await fetch(`${purse.serverUrl}/files/cut.bin`, {
      method: "POST",
      headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey },
      body,
      ...{ duplex: "half" },
    });
    expect(answer.status).toBe(400);
    expect(s3.objects().filter((path) => path.includes("cut.bin"))).toEqual([]);
    expect(s3.objects().filter((path) => path.endsWith("large.bin._S3rver_object"))).toHaveLength(1);
  });
});

describe("backups in S3", () => {
  it("are made, listed, downloaded and deleted there by the studio", async () => {
    const owner = await setUpStudio(purse);
    const made = await owner.request("POST", "/backups", {});
    const { file } = made.body;
    await expect
      .poll(async () => (await owner.request("GET", "/backups")).body.isRunning, { timeout: 20_000 })
      .toBe(false);
    const { body } = await owner.request("GET", "/backups");
    expect(body.backups).toMatchObject([{ file, origin: "made", sizeBytes: expect.any(Number) }]);
    expect(s3.objects().some((path) => path.includes(`backups/${file}`))).toBe(true);
    expect(readdirSync(join(purse.dataDir, "backups"))).toEqual([]);
    const downloaded = await fetch(`${purse.url}/studio/api/backups/${file}`, {
      headers: { cookie: owner.cookie ?? "" },
    });
    expect((await downloaded.text()).slice(0, 15)).toBe("SQLite format 3");
    expect((await owner.request("DELETE", `/backups/${file}`)).status).toBe(200);
    expect((await owner.request("DELETE", `/backups/${file}`)).body.code).toBe(101);
    expect(s3.objects().filter((path) => path.includes("backups/"))).toEqual([]);
  });

  if (NIGHTLY)
    it("are made and restored there by the command line", async () => {
      const folder = mkdtempSync(join(tmpdir(), "purse-backup-"));
      const file = s3.env.PURSE_FILES_STORE?.replace("/app?", "/nightly/copy.sqlite?") ?? "";
      const from = { ...s3.env, PURSE_DATA_DIR: purse.dataDir };
      const made = await purseCommand(["backup", "--out", file], from);
      expect(made).toMatchObject({ code: 0 });
      expect(s3.objects().some((path) => path.includes("nightly/copy.sqlite"))).toBe(true);
      const into = { ...s3.env, PURSE_DATA_DIR: folder };
      expect(await purseCommand(["restore", "--in", file], into)).toMatchObject({ code: 0 });
      expect(readdirSync(folder).filter((name) => name.startsWith("purse.sqlite"))).toContain("purse.sqlite");
      expect(readdirSync(folder).filter((name) => name.includes("transfer"))).toEqual([]);
      const missing = file.replace("copy.sqlite", "other.sqlite");
      const failed = await purseCommand(["restore", "--in", missing, "--force"], into);
      expect([failed.code, failed.output]).toEqual([1, expect.stringContaining("no backup other.sqlite")]);
      rmSync(folder, { recursive: true });
    });

  if (!NIGHTLY) return;

  it("of PostgreSQL are streamed there and back by the command line", async () => {
    const url = s3.env.PURSE_FILES_STORE?.replace("/app?", "/nightly/copy.postgres.gz?") ?? "";
    const places = [await emptyDatabaseEnv("PostgreSQL"), await emptyDatabaseEnv("PostgreSQL")];
    const [from, into] = places.map((env) => ({ ...s3.env, ...env, PURSE_DATA_DIR: purse.dataDir }));
    if (!from || !into) throw new Error("there are no databases");
    const dump = join(import.meta.dirname, "../fixtures/parse-dump");
    expect(await purseCommand(["import", "--parse", dump], from)).toMatchObject({ code: 0 });
    const made = await purseCommand(["backup", "--out", url], from);
    expect(made).toMatchObject({ code: 0 });
    const restored = await purseCommand(["restore", "--in", url], into);
    expect(restored).toMatchObject({
      code: 0,
      output: expect.stringContaining(made.output.split(": ")[1] ?? ""),
    });
    const missing = await purseCommand(["restore", "--in", url.replace("copy", "other"), "--force"], into);
    expect(missing).toMatchObject({
      code: 1,
      output: expect.stringContaining("no backup other.postgres.gz"),
    });
  });
});
