import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Answer, envelope, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const HELLO = Buffer.from("hello world\n");
const HELLO_CID = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o";

let purse: Purse;
let sessionToken: string;

beforeAll(async () => {
  purse = await hostPurse({
    env: { PURSE_MAX_UPLOAD_SIZE: "3mb", PURSE_READ_ONLY_MASTER_KEY: "read-only-key" },
  });
  sessionToken = (await signUp(purse)).sessionToken;
});
afterAll(() => purse.remove());

interface RawOptions {
  headers?: Record<string, string>;
  on?: Purse;
  body?: RequestInit["body"];
}

/** Uploads raw bytes. */
async function raw(
  name: string,
  { headers = {}, on = purse, body = HELLO }: RawOptions = {},
): Promise<Answer> {
  const response = await fetch(`${on.serverUrl}/files/${name}`, {
    method: "POST",
    headers: { "X-Parse-Application-Id": on.appId, "X-Parse-Session-Token": sessionToken, ...headers },
    body: body ?? null,
    ...(body instanceof ReadableStream && { duplex: "half" }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

/** Uploads in the legacy envelope. */
function old(name: string, fields: Record<string, unknown> = {}): Promise<Answer> {
  const json = JSON.parse(JSON.stringify({ base64: HELLO.toString("base64"), fileData: {}, ...fields }));
  return envelope(purse, `/files/${name}`, { _SessionToken: sessionToken, ...json });
}

/** Lists all paths in the files folder, including temporary files. */
function kept(folder: string): string[] {
  return readdirSync(join(purse.dataDir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

function streamOf(content: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await content.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function* pieces(count: number, bytes: number) {
  for (let at = 0; at < count; at++) yield new Uint8Array(bytes).fill(at);
}

/** Sends a GET with an unchanged path, because fetch normalizes URLs and sets the host. */
function get(
  path: string,
  headers: Record<string, string> = {},
  on = purse,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const requested = httpRequest({ port: on.port, host: "127.0.0.1", path, headers }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    requested.on("error", reject).end();
  });
}

describe("uploads", () => {
  it("accept base64 in the legacy envelope", { tags: ["7.file.upload"] }, async () => {
    const { status, body, headers } = await old("hello.txt");
    expect(status).toBe(201);
    expect(body.name).toMatch(/^[0-9a-f]{32}_hello\.txt$/);
    expect(body).toEqual({ name: body.name, url: `${purse.serverUrl}/files/test-app/${body.name}` });
    expect(headers.get("location")).toBe(body.url);
    expect(await (await fetch(String(body.url))).text()).toBe(HELLO.toString());
  });

  it("accept raw bytes", async () => {
    const { status, body } = await raw("hello.txt", { headers: { "Content-Type": "text/plain" } });
    expect(status).toBe(201);
    expect(await (await fetch(String(body.url))).text()).toBe(HELLO.toString());
  });

  it("accept streams of unknown length", async () => {
    const body = streamOf(pieces(20, 100_000));
    const answer = await raw("large.bin", { body });
    expect(answer.status).toBe(201);
    const content = Buffer.from(await (await fetch(String(answer.body.url))).arrayBuffer());
    expect(content.length).toBe(2_000_000);
    expect(content[1_999_999]).toBe(19);
  });

  it("store content of any bytes, however the body is split", async () => {
    const content = randomBytes(1_000_001);
    const { body } = await old("random.bin", { base64: content.toString("base64") });
    const stored = Buffer.from(await (await fetch(String(body.url))).arrayBuffer());
    expect(createHash("sha256").update(stored).digest("hex")).toBe(
      createHash("sha256").update(content).digest("hex"),
    );
  });

  it("add the extension of their type to a name without one", {
    tags: ["7.file.upload-content-type"],
  }, async () => {
    const { body } = await old("picture", { _ContentType: "image/png" });
    expect(body.name).toMatch(/_picture\.png$/);
    expect((await fetch(String(body.url))).headers.get("content-type")).toBe("image/png");
  });

  it("with an invalid media type are served by their names", async () => {
    for (const [name, type] of [
      ["note", "application/octet-stream"],
      ["note.txt", "text/plain; charset=utf-8"],
    ]) {
      const { status, body } = await old(String(name), { _ContentType: "text" });
      expect(status).toBe(201);
      expect((await fetch(String(body.url))).headers.get("content-type")).toBe(type);
    }
  });

  it("store metadata and tags", {
    tags: ["7.file.upload-metadata", "7.file.upload-tags", "3.file.metadata", "3.file.tags"],
  }, async () => {
    const metadata = { by: "ann", pages: 3 };
    const tags = { color: "red" };
    const { body } = await old("hello.txt", { fileData: { metadata, tags } });
    const path = `/files/test-app/metadata/${body.name}`;
    expect(await (await fetch(purse.serverUrl + path)).json()).toEqual({ metadata, tags });
    const second = await raw("hello.txt", {
      headers: {
        "X-Parse-File-Metadata": JSON.stringify(metadata),
        "X-Parse-File-Tags": JSON.stringify(tags),
      },
    });
    const its = await fetch(`${purse.serverUrl}/files/test-app/metadata/${second.body.name}`);
    expect(await its.json()).toEqual({ metadata, tags });
    const none = await fetch(`${purse.serverUrl}/files/test-app/metadata/none.txt`);
    expect([none.status, await none.json()]).toEqual([200, {}]);
    const elsewhere = await fetch(`${purse.serverUrl}/files/another-app/metadata/${body.name}`);
    expect([elsewhere.status, await elsewhere.json()]).toEqual([200, {}]);
  });

  it("are added to IPFS on request", {
    tags: ["7.file.upload-ipfs", "3.file.ipfs", "3.file.hash"],
  }, async () => {
    const { body } = await old("hello.txt", { fileData: { ipfs: true, metadata: {}, tags: {} } });
    expect(body.hash).toBe(HELLO_CID);
    expect(body.ipfs).toBe(`${purse.url}/ipfs/${HELLO_CID}`);
    expect(await (await fetch(String(body.ipfs))).text()).toBe(HELLO.toString());
  });

  it("are stored in folders with the master key", async () => {
    const fileData = { directory: "reports/2026" };
    const { body } = await old("a.txt", { fileData, _MasterKey: purse.masterKey });
    expect(body.name).toMatch(/^reports\/2026\/[0-9a-f]{32}_a\.txt$/);
    expect(await (await fetch(String(body.url))).text()).toBe(HELLO.toString());
    expect((await old("a.txt", { fileData })).body).toMatchObject({ code: 119 });
    for (const directory of ["../up", "/a", "a//b", "metadata", "a\0"]) {
      const refused = await old("a.txt", { fileData: { directory }, _MasterKey: purse.masterKey });
      expect(refused.body.code).toBe(122);
    }
  });
});

describe("file permissions", () => {
  it("follow the settings", async () => {
    const anyone = await raw("a.txt", { headers: { "X-Parse-Session-Token": "" } });
    expect(anyone.status).toBe(400);
    expect(anyone.body).toEqual({ code: 130, error: "File upload by public is disabled." });
    const anonymous = await rest(purse, "POST", "/users", {
      authData: { anonymous: { id: "0123456789abcdef0123" } },
    });
    const headers = { "X-Parse-Session-Token": String(anonymous.body.sessionToken) };
    expect((await raw("a.txt", { headers })).body).toEqual({
      code: 130,
      error: "File upload by anonymous user is disabled.",
    });
    expect((await raw("a.txt", { headers: { "X-Parse-Master-Key": purse.masterKey } })).status).toBe(201);
  });

  it("require valid keys and a valid session", async () => {
    const wrongKey = await raw("a.txt", { headers: { "X-Parse-Master-Key": "wrong-master-key" } });
    expect([wrongKey.status, wrongKey.body.code]).toEqual([403, 119]);
    const wrongApp = await raw("a.txt", { headers: { "X-Parse-Application-Id": "other" } });
    expect([wrongApp.status, wrongApp.body.code]).toEqual([403, 119]);
    const wrongSession = await raw("a.txt", { headers: { "X-Parse-Session-Token": "r:none" } });
    expect(wrongSession.body.code).toBe(209);
    const readOnly = await raw("a.txt", { headers: { "X-Parse-Master-Key": "read-only-key" } });
    expect([readOnly.status, readOnly.body.code]).toEqual([403, 119]);
  });

  it("allow deletion with the master key only", {
    tags: ["7.file.delete", "6.master-key.file-deletion"],
  }, async () => {
    const { body } = await raw("gone.txt", { headers: { "X-Parse-File-Tags": '{"a":1}' } });
    const url = `/files/${body.name}`;
    expect((await rest(purse, "DELETE", url, undefined, { sessionToken })).body.code).toBe(119);
    const deleted = await rest(purse, "DELETE", url, undefined, { useMasterKey: true });
    expect([deleted.status, deleted.body]).toEqual([200, {}]);
    expect((await fetch(String(body.url))).status).toBe(404);
    expect(kept("files").filter((name) => name.includes("gone"))).toEqual([]);
    const again = await rest(purse, "DELETE", url, undefined, { useMasterKey: true });
    expect(again.body).toEqual({ code: 153, error: "Could not delete file." });
  });
});

describe("file names", () => {
  it.each([
    ...[
      "報告書.pdf",
      "größe.txt",
      "Foto (1).jpg",
      "it's.txt",
      "a+b.txt",
      "50%.txt",
      "what?.txt",
      'say "hi".txt',
    ],
    ...["תמונה.png", "👩‍🚀.jpg", "#1 & 2;.txt"],
  ])("are kept: %s", async (name) => {
    const { status, body } = await raw(encodeURIComponent(name));
    expect([status, body.name]).toEqual([201, expect.stringMatching(/^[0-9a-f]{32}_/)]);
    expect(String(body.name).slice(33)).toBe(name);
    const response = await fetch(String(body.url));
    expect(await response.text()).toBe(HELLO.toString());
    const [, encoded = ""] =
      /filename\*=UTF-8''([\w.%~!-]+)$/.exec(response.headers.get("content-disposition") ?? "") ?? [];
    expect(decodeURIComponent(encoded)).toBe(name);
    const file = { __type: "File", name: String(body.name), url: String(body.url) };
    const saved = await rest(purse, "POST", "/classes/Named", { file }, { useMasterKey: true });
    const path = `/classes/Named/${saved.body.objectId}`;
    expect((await rest(purse, "GET", path, undefined, { useMasterKey: true })).body.file).toEqual(file);
    const url = `/files/${encodeURIComponent(String(body.name))}`;
    expect((await rest(purse, "DELETE", url, undefined, { useMasterKey: true })).status).toBe(200);
    expect((await fetch(String(body.url))).status).toBe(404);
  });
});

describe("rejected uploads", () => {
  it.each([
    ["..%2Fup.txt"],
    ["a%00.txt"],
    ["a%0d%0aX-Evil:1.txt"],
    ["C:%5Cwindows.txt"],
    [".hidden"],
    ["a".repeat(129)],
    ["a/b.txt"],
    [""],
  ])("have an invalid name: %.40s", async (name) => {
    const { status, body } = await raw(name);
    expect([status, body.code]).toEqual([400, 122]);
  });

  it.each([
    ["page.html", undefined],
    ["page.HTM", undefined],
    ["picture.svg", undefined],
    ["picture.svg ", undefined],
    ["data.xml", undefined],
    ["nothing", "image/svg+xml"],
    ["nothing", "image/svg+xml;charset=utf-8"],
    ["nothing", "text/html"],
    ["a.unknown", "text/html; x=y"],
    ["nothing", "image//svg+xml"],
  ])("have a type that browsers execute: %s as %s", async (name, type) => {
    const { body } = await raw(encodeURIComponent(name), { headers: type ? { "Content-Type": type } : {} });
    expect(body.code).toBe(130);
    expect((await old(encodeURIComponent(name), { _ContentType: type ?? null })).body.code).toBe(130);
  });

  it("exceed the size limit, and leave no file", async () => {
    const before = kept("files").length;
    const declared = await raw("large.bin", { body: new Uint8Array(3 * 1024 * 1024 + 1) });
    expect(declared.body).toEqual({ code: 130, error: "File size exceeds maximum allowed: 3145728 bytes." });
    const streamed = await raw("large.bin", { body: streamOf(pieces(40, 100_000)) });
    expect(streamed.body.code).toBe(130);
    const inJson = await old("large.bin", { base64: "A".repeat(5_000_000) });
    expect(inJson.body.code).toBe(130);
    expect(kept("files").length).toBe(before);
    await expect.poll(() => kept("uploads")).toEqual([]);
    const allowed = await raw("large.bin", {
      headers: { "X-Parse-Master-Key": purse.masterKey, "X-Parse-File-Max-Upload-Size": "5mb" },
      body: new Uint8Array(4_000_000),
    });
    expect(allowed.status).toBe(201);
  });

  it("have empty content, invalid base64 or invalid JSON", async () => {
    expect((await raw("a.txt", { body: "" })).body).toEqual({ code: 130, error: "Invalid file upload." });
    expect((await old("a.txt", { base64: "" })).body.code).toBe(130);
    expect((await old("a.txt", { base64: "<script>" })).body.code).toBe(107);
    expect((await old("a.txt", { base64: "AA==AA==" })).body.code).toBe(107);
    expect((await old("a.txt", { base64: 3 })).body.code).toBe(130);
    expect((await old("a.txt", { fileData: "x" })).body.code).toBe(107);
    expect((await old("a.txt", { fileData: { metadata: { $where: 1 } } })).body.code).toBe(121);
    expect((await envelope(purse, "/files/a.txt", '{"base64":"AAAA",')).body.code).toBe(107);
    await expect.poll(() => kept("uploads")).toEqual([]);
  });

  it("break off, and leave no file", async () => {
    const before = kept("files").length;
    const abort = new AbortController();
    async function* slowly() {
      yield new Uint8Array(100_000);
      await expect.poll(() => kept("files").length).toBeGreaterThan(before);
      abort.abort();
      await new Promise(() => undefined);
    }
    const headers = { "X-Parse-Application-Id": purse.appId, "X-Parse-Session-Token": sessionToken };
    await fetch(`${purse.serverUrl}/files/cut.bin`, {
      method: "POST",
      headers,
      body: streamOf(slowly()),
      signal: abort.signal,
      ...{ duplex: "half" },
    }).catch(() => undefined);
    await expect.poll(() => kept("files").length).toBe(before);
    expect((await raw("a.txt")).status).toBe(201);
  });
});

describe("downloads", () => {
  let url: string;
  const content = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 251));
  beforeAll(async () => {
    url = String((await raw("data.bin", { body: content })).body.url);
  });

  it.each([
    ["bytes=0-9", 0, 10],
    ["bytes=990-", 990, 1_000],
    ["bytes=-5", 995, 1_000],
    ["bytes=900-5000", 900, 1_000],
  ])("return the range %s", async (range, from, to) => {
    const part = await fetch(url, { headers: { range } });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes ${from}-${to - 1}/1000`);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(content.subarray(from, to));
  });

  it.each([["bytes=1000-"], ["bytes=-0"]])("reject the range %s with 416", async (range) => {
    const part = await fetch(url, { headers: { range } });
    expect([part.status, part.headers.get("content-range")]).toEqual([416, "bytes */1000"]);
  });

  it.each([["bytes=9-1"], ["bytes=a-b"], ["lines=1-2"], ["bytes=0-1,5-6"], ["bytes=99999999999999999-"]])(
    "return the whole file for the unsupported range %s",
    async (range) => {
      const whole = await fetch(url, { headers: { range } });
      expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, 1_000]);
    },
  );

  it("return 304 to clients with a current copy", async () => {
    const first = await fetch(url);
    await first.arrayBuffer();
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^".+"$/);
    expect((await fetch(url, { headers: { "if-none-match": `"x", W/${etag}` } })).status).toBe(304);
    const part = await fetch(url, { headers: { range: "bytes=0-0", "if-range": '"other"' } });
    expect(part.status).toBe(200);
    await part.arrayBuffer();
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "1000"]);
  });

  it("execute nothing in browsers, whatever the content", async () => {
    const headers = { "X-Parse-Master-Key": purse.masterKey };
    for (const name of ["page.html", "picture.svg", "data.xml", "code.js", "a.unknown"]) {
      const { body } = await raw(name, { headers, body: "<script>alert(1)</script>" });
      const served = await fetch(String(body.url));
      await served.text();
      expect(served.headers.get("x-content-type-options")).toBe("nosniff");
      expect(served.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
      expect(served.headers.get("content-disposition")).toMatch(/^attachment; filename="/);
    }
    const picture = await raw("picture.png");
    const served = await fetch(String(picture.body.url));
    expect(served.headers.get("content-disposition")).toMatch(/^inline; filename="picture.png"/);
  });

  it.each([
    ["/server/files/test-app/..%2f..%2fkeys.json"],
    ["/server/files/test-app/../../keys.json"],
    ["/server/files/test-app/%2e%2e/%2e%2e/keys.json"],
    ["/server/files/test-app/content"],
    ["/server/files/test-app/a%00"],
    ["/server/files/test-app/"],
    ["/server/files/test-app/metadata"],
    [`/server/files/test-app/${"a/".repeat(300)}a`],
  ])("return 404 for %.60s", async (path) => {
    expect(await get(path)).toEqual({ status: 404, body: "File not found." });
  });

  it("reject other applications and invalid paths", async () => {
    expect((await get("/server/files/other/a.txt")).status).toBe(403);
    expect((await get("/server/files/test-app/%E0%A4%A")).status).toBe(400);
  });
});

describe.each(DATABASES)("files in objects on %s", (database) => {
  let own: Purse;
  let file: { name: string; url: string; hash: string; ipfs: string };
  beforeAll(async () => {
    own = await hostPurse({ env: await databaseEnv(database) });
    const { body } = await raw("a.txt", {
      on: own,
      headers: { "X-Parse-Master-Key": own.masterKey, "X-Parse-File-IPFS": "true" },
    });
    file = {
      name: String(body.name),
      url: String(body.url),
      hash: String(body.hash),
      ipfs: String(body.ipfs),
    };
  });
  afterAll(() => own.remove());

  it("are returned with the URL of the requested host", {
    tags: ["3.file.name", "3.file.url", "3.schema-type.file"],
  }, async () => {
    const wire = { __type: "File", ...file };
    const created = await rest(own, "POST", "/classes/Doc", {
      file: wire,
      list: [wire],
      inner: { file: wire },
    });
    const path = `/classes/Doc/${created.body.objectId}`;
    expect((await rest(own, "GET", path)).body).toMatchObject({
      file: wire,
      list: [wire],
      inner: { file: wire },
    });
    const where = query({ where: { objectId: created.body.objectId } });
    const headers = { host: "files.example:99", "X-Parse-Application-Id": own.appId };
    const elsewhere = JSON.parse((await get(`/server/classes/Doc${where}`, headers, own)).body);
    const url = `http://files.example:99/server/files/test-app/${file.name}`;
    const ipfs = `http://files.example:99/ipfs/${file.hash}`;
    expect(elsewhere.results[0]).toMatchObject({
      file: { url, ipfs },
      list: [{ url }],
      inner: { file: { url } },
    });
    const schema = await rest(own, "GET", "/schemas/Doc", undefined, { useMasterKey: true });
    expect(schema.body.fields).toMatchObject({ file: { type: "File" } });
  });

  it("are matched by name, and keep URLs of other servers", async () => {
    const foreign = { __type: "File", name: "old.png", url: "https://old.example/parse/files/app/old.png" };
    const { body } = await rest(own, "POST", "/classes/Doc", { file: foreign });
    expect((await rest(own, "GET", `/classes/Doc/${body.objectId}`)).body.file).toEqual(foreign);
    const found = await rest(own, "GET", `/classes/Doc${query({ where: { file: foreign } })}`);
    expect(found.body.results).toHaveLength(1);
  });

  it("are returned with URLs in included objects and after updates", async () => {
    const inner = await rest(own, "POST", "/classes/Inner", { file: { __type: "File", name: file.name } });
    const pointer = { __type: "Pointer", className: "Inner", objectId: inner.body.objectId };
    const outer = await rest(own, "POST", "/classes/Outer", { inner: pointer });
    const updated = await rest(own, "PUT", `/classes/Outer/${outer.body.objectId}`, {
      files: { __op: "AddUnique", objects: [{ __type: "File", ...file }] },
    });
    expect(updated.body.files).toMatchObject([{ url: file.url }]);
    const again = await rest(own, "PUT", `/classes/Outer/${outer.body.objectId}`, {
      files: { __op: "AddUnique", objects: [{ __type: "File", ...file }] },
    });
    expect(again.body.files).toHaveLength(1);
    const { body } = await rest(own, "GET", `/classes/Outer/${outer.body.objectId}?include=inner`);
    expect(body.inner).toMatchObject({ file: { name: file.name, url: file.url } });
  });
});
