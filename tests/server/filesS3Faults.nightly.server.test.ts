import { readdirSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FaultyS3, startFaultyS3 } from "../support/faultyS3.ts";
import { type Purse, startPurse } from "../support/purse.ts";
import { type S3Server, startS3Server } from "../support/s3Server.ts";

const SECRET = "S3RVER";

let s3: S3Server;
let faulty: FaultyS3;
let purse: Purse;

beforeAll(async () => {
  s3 = await startS3Server();
  faulty = await startFaultyS3(s3.endpoint);
  const endpoint = encodeURIComponent(`http://127.0.0.1:${faulty.port}`);
  const store = `s3://files/app?endpoint=${endpoint}&forcePathStyle=1`;
  purse = await startPurse({ env: { ...s3.env, PURSE_FILES_STORE: store } });
});
afterAll(async () => {
  await purse?.remove();
  await faulty?.stop();
  await s3?.stop();
});
afterEach(() => faulty.fail(undefined));

async function upload(name: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${purse.serverUrl}/files/${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey, ...headers },
    body,
  });
  return { status: response.status, body: await response.json() };
}

/** Sends a GET with an unchanged path. */
function get(path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const requested = httpRequest({ port: purse.port, host: "127.0.0.1", path }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.on("error", () => resolve({ status: 0, body }));
      response.on("aborted", () => resolve({ status: 0, body }));
    });
    requested.on("error", reject).end();
  });
}

describe("an S3 server with faults", () => {
  it.each([500, 503, 403])(
    "that responds to uploads with %d is reported without details, and leaves no object",
    async (status) => {
      faulty.fail((message, response) => {
        if (message.method !== "PUT") return false;
        response.writeHead(status).end(`<Error><Code>Odd</Code><Message>${SECRET} inside</Message></Error>`);
        return true;
      });
      const { status: delivered, body } = await upload("a.txt", "hello");
      expect([delivered, body]).toEqual([503, { code: 100, error: "The file store is unavailable." }]);
      expect(readdirSync(join(purse.dataDir, "uploads"))).toEqual([]);
      await expect.poll(() => purse.output()).toContain("the file store");
    },
  );

  it("that fails briefly is retried without an error for the client", async () => {
    let failures = 0;
    faulty.fail((message, response) => {
      if (message.method !== "PUT" || failures === 2) return false;
      failures += 1;
      if (failures === 1) response.writeHead(503).end();
      else message.socket.destroy();
      return true;
    });
    const { status, body } = await upload("a.txt", "hello");
    expect(status).toBe(201);
    expect(await (await fetch(body.url)).text()).toBe("hello");
  });

  it("that rejects the metadata of a file makes the upload roll back", async () => {
    faulty.fail((message, response) => {
      if (message.method !== "PUT" || !message.url?.includes("/about/")) return false;
      response.writeHead(403).end();
      return true;
    });
    const before = s3.objects().length;
    const { status } = await upload("a.txt", "hello", { "X-Parse-File-Tags": '{"a":1}' });
    expect(status).toBe(503);
    expect(s3.objects().length).toBe(before);
  });

  it.each([
    ["cuts the content", (text: string) => text.slice(0, 3)],
    ["adds to the content", (text: string) => `${text} and more`],
  ])("that %s never produces a complete response", async (_, change) => {
    const { body } = await upload("a.txt", "hello world");
    faulty.fail((message, response) => {
      if (message.method !== "GET") return false;
      response.writeHead(200).end(change("hello world"));
      return true;
    });
    const read = fetch(body.url).then((response) => response.text());
    await expect(read).rejects.toThrow();
  });

  it("that returns other types, encodings and dispositions is ignored", async () => {
    const { body } = await upload("a.txt", "hello");
    faulty.fail((message, response) => {
      const headers = {
        "content-length": 5,
        "content-type": "text/html",
        "content-disposition": "inline; filename=evil.html",
        "content-encoding": "identity",
        "cache-control": "no-store",
        "set-cookie": "session=evil",
        location: "https://evil.example",
        "x-amz-website-redirect-location": "https://evil.example",
        "x-amz-meta-a": "b",
        etag: '"e"',
      };
      response.writeHead(200, headers).end(message.method === "HEAD" ? undefined : "hello");
      return true;
    });
    const served = await fetch(body.url);
    expect(await served.text()).toBe("hello");
    expect(served.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(served.headers.get("content-disposition")).toContain("a.txt");
    for (const name of ["set-cookie", "location", "x-amz-meta-a", "content-encoding"]) {
      expect(served.headers.get(name)).toBeNull();
    }
  });

  it("does not crash the server or leak its credentials", async () => {
    expect((await fetch(`${purse.url}/health`)).status).toBe(200);
    const { status } = await upload("a.txt", "hello");
    expect(status).toBe(201);
    const lines = purse.output().split("\n");
    // The log has the error of S3 in one line, and never the key.
    expect(lines.filter((line) => line.includes("AWS_SECRET") || line.includes("Signature="))).toEqual([]);
  });
});

describe("S3 object keys", () => {
  it.each([
    "../../secret.txt",
    "..%2f..%2fsecret.txt",
    "%2e%2e/%2e%2e/secret.txt",
    "%252e%252e%252fsecret.txt",
    "..%5csecret.txt",
    "a%00.txt",
    "a%0d%0ab.txt",
    "%c0%ae%c0%ae/secret.txt",
    "e%cc%81.txt",
    "%c3%a9.txt",
    "%ef%bc%8e%ef%bc%8e/secret.txt",
    "metadata/..%2f..%2fsecret.txt",
    `${"a".repeat(600)}.txt`,
    "?list-type=2",
    "%3Flist-type=2",
    "",
    "/",
    "%20",
    ".",
  ])("are not reachable by the path %s", async (path) => {
    faulty.requests.length = 0;
    const { status, body } = await get(`/server/files/${purse.appId}/${path}`);
    expect([200, 400, 404]).toContain(status);
    expect(body).not.toContain("ListBucketResult");
    if (status === 200) expect(body).toBe("{}");
    for (const request of faulty.requests) {
      expect(request).toMatch(
        /^(HEAD|GET) \/files\/app\/(content|about)\/[\w@. ~%-]+(\/[\w@. ~%-]+)*(\?x-id=GetObject)?$/,
      );
      expect(decodeURIComponent(request)).not.toContain("..");
    }
  });

  it("of uploads contain only valid file names", async () => {
    for (const name of ["../a.txt", "a/b.txt", "a\\b.txt", "a\u0000.txt", "x".repeat(129), ""]) {
      const { status } = await upload(name, "hello");
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    expect(s3.objects().filter((path) => path.includes(".."))).toEqual([]);
  });
});
