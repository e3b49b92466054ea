import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type ClientRequest, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse, signUp } from "../support/purse.ts";

const LIMITS = {
  PURSE_MAX_UPLOAD_SIZE: "1mb",
  PURSE_MAX_UPLOADS_PER_CLIENT: "3",
  PURSE_MAX_UPLOAD_BYTES_PER_CLIENT: "2mb",
};
const MEGABYTE = 1024 * 1024;

let folder: string;
let purse: Purse;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-limits-"));
  const config = join(folder, "purse.config.ts");
  await writeFile(config, "export default { fileUpload: { enableForPublic: true } };");
  env = { ...LIMITS, PURSE_CONFIG: config };
  purse = await hostPurse({ env });
});
afterAll(async () => {
  await purse?.remove();
  await rm(folder, { recursive: true, force: true });
});

type Keys = { sessionToken?: string; master?: boolean };

function headersOf({ sessionToken, master }: Keys): Record<string, string> {
  return {
    "X-Parse-Application-Id": purse.appId,
    ...(sessionToken !== undefined && { "X-Parse-Session-Token": sessionToken }),
    ...(master && { "X-Parse-Master-Key": purse.masterKey }),
  };
}

/** A request of the tus protocol. */
function tus(method: string, url: string, keys: Keys, headers: Record<string, string> = {}, body = "") {
  return fetch(url, {
    method,
    headers: { "Tus-Resumable": "1.0.0", ...headersOf(keys), ...headers },
    ...(body !== "" && { body }),
  });
}

function begin(keys: Keys, length = 10): Promise<Response> {
  return tus("POST", `${purse.serverUrl}/files/resumable`, keys, {
    "Upload-Length": String(length),
    "Upload-Metadata": `filename ${Buffer.from("a.bin").toString("base64")}`,
  });
}

const locationOf = (response: Response) => response.headers.get("location") ?? "";

describe("pending resumable uploads", () => {
  it("are limited in number per user", async () => {
    const [ann, ben] = [await signUp(purse), await signUp(purse)];
    for (let i = 0; i < 3; i++) expect((await begin(ann)).status).toBe(201);
    const refused = await begin(ann);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 155, error: expect.stringContaining("in progress") });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await begin(ben)).status).toBe(201);
  });

  it("are limited in declared bytes per user", async () => {
    const ann = await signUp(purse);
    expect((await begin(ann, MEGABYTE)).status).toBe(201);
    expect((await begin(ann, MEGABYTE)).status).toBe(201);
    expect((await begin(ann, 1)).status).toBe(429);
  });

  it("no longer count after their deletion or completion", async () => {
    const ann = await signUp(purse);
    const urls = [await begin(ann), await begin(ann), await begin(ann)].map(locationOf);
    expect((await begin(ann)).status).toBe(429);
    expect((await tus("DELETE", urls[0] ?? "", ann)).status).toBe(204);
    expect((await begin(ann)).status).toBe(201);
    expect((await begin(ann)).status).toBe(429);
    const append = { "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" };
    expect((await tus("PATCH", urls[1] ?? "", ann, append, "0123456789")).status).toBe(204);
    expect((await begin(ann)).status).toBe(201);
  });

  it("of anonymous clients are limited per address", async () => {
    for (let i = 0; i < 3; i++) expect((await begin({})).status).toBe(201);
    expect((await begin({})).status).toBe(429);
  });

  it("are not limited with the master key", async () => {
    for (let i = 0; i < 6; i++) expect((await begin({ master: true }, MEGABYTE)).status).toBe(201);
  });

  it("still count after a restart", async () => {
    const ann = await signUp(purse);
    for (let i = 0; i < 3; i++) expect((await begin(ann)).status).toBe(201);
    await purse.stop();
    purse = await hostPurse({ dataDir: purse.dataDir, port: purse.port, env });
    expect((await begin(ann)).status).toBe(429);
  });
});

interface SlowUpload {
  status?: number | undefined;
}

describe("slow uploads", () => {
  const open: ClientRequest[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) each.destroy();
  });

  /** Starts an upload and leaves it incomplete; rejected ones get a status. */
  async function beginSlowly(headers: Record<string, string>, body: string): Promise<SlowUpload> {
    const sent = httpRequest(`${purse.serverUrl}/files/slow.txt`, {
      method: "POST",
      headers: { "Content-Length": "1000", ...headers },
    });
    open.push(sent);
    sent.on("error", () => undefined);
    const upload: SlowUpload = {};
    sent.on("response", (response) => {
      upload.status = response.resume().statusCode;
    });
    await new Promise((resolve) => sent.write(body, resolve));
    return upload;
  }

  /** Waits for rejections and returns their statuses; the server may have received the uploads in any order. */
  async function refusalsOf(uploads: SlowUpload[]): Promise<number[]> {
    const statuses = () => uploads.flatMap(({ status }) => status ?? []);
    await expect.poll(statuses).not.toEqual([]);
    return statuses();
  }

  it("in the legacy envelope are limited per address before authentication", async () => {
    const begun: SlowUpload[] = [];
    // Several users may share an address, which may have four times as many uploads as one user.
    for (let i = 0; i < 13; i++) begun.push(await beginSlowly({}, '{"base64":"AAAA'));
    expect(await refusalsOf(begun)).toEqual([429]);
  });

  it("of raw bytes are limited per user", async () => {
    const { sessionToken } = await signUp(purse);
    const begun: SlowUpload[] = [];
    for (let i = 0; i < 4; i++) begun.push(await beginSlowly(headersOf({ sessionToken }), "abc"));
    expect(await refusalsOf(begun)).toEqual([429]);
  });

  it("leave no files and no longer count when their connections break", async () => {
    const { sessionToken } = await signUp(purse);
    const partial = () => readdirSync(join(purse.dataDir, "files/partial")).length;
    for (let i = 0; i < 3; i++) await beginSlowly(headersOf({ sessionToken }), "abc");
    await expect.poll(partial).toBe(3);
    for (const each of open.splice(0)) each.destroy();
    await expect.poll(partial).toBe(0);
    await beginSlowly(headersOf({ sessionToken }), "abc");
    await expect.poll(partial).toBe(1);
  });
});

describe("the uploads folder", () => {
  it("is cleaned at the start from files of a killed process only", async () => {
    const uploads = join(purse.dataDir, "uploads");
    const ann = await signUp(purse);
    const kept =
      locationOf(await begin(ann))
        .split("/")
        .at(-1) ?? "";
    await purse.stop();
    const old = new Date(Date.now() - 3 * 3_600_000);
    const put = (name: string, at: Date) => {
      writeFileSync(join(uploads, name), "x");
      utimesSync(join(uploads, name), at, at);
    };
    const id = (digit: string) => digit.repeat(32);
    put(id("1"), old);
    put(`${id("2")}.part`, old);
    put(`${id("3")}.json.new`, old);
    put(id("4"), new Date());
    put("notes of the operator.txt", old);
    utimesSync(join(uploads, `${kept}.part`), old, old);
    purse = await hostPurse({ dataDir: purse.dataDir, port: purse.port, env });
    const names = readdirSync(uploads);
    expect(names).toEqual(
      expect.arrayContaining([id("4"), "notes of the operator.txt", `${kept}.json`, `${kept}.part`]),
    );
    for (const gone of [id("1"), `${id("2")}.part`, `${id("3")}.json.new`]) expect(names).not.toContain(gone);
    expect((await tus("HEAD", `${purse.serverUrl}/files/resumable/${kept}`, ann)).status).toBe(200);
  });
});

describe("IPFS folders", () => {
  const data = [{ path: "a.txt", content: Buffer.from("hello").toString("base64") }];
  const upload = async (to: Purse, keys: Record<string, string>) => {
    const response = await fetch(`${to.serverUrl}/functions/uploadFolder`, {
      method: "POST",
      headers: { "X-Parse-Application-Id": to.appId, "Content-Type": "application/json", ...keys },
      body: JSON.stringify({ data }),
    });
    return response.json();
  };

  it("are uploaded by a function with the permissions of file uploads", async () => {
    const config = join(folder, "closed.config.ts");
    await writeFile(config, "export default { fileUpload: { enableForAuthenticatedUser: false } };");
    const closed = await hostPurse({ env: { PURSE_CONFIG: config } });
    try {
      const { sessionToken } = await signUp(closed);
      expect(await upload(closed, {})).toMatchObject({ code: 119 });
      expect(await upload(closed, { "X-Parse-Session-Token": sessionToken })).toEqual({
        code: 130,
        error: "File upload by authenticated user is disabled.",
      });
      const { result } = await upload(closed, { "X-Parse-Master-Key": closed.masterKey });
      expect(result).toHaveLength(1);
    } finally {
      await closed.remove();
    }
  });
});
