import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileStore } from "./fileStore.ts";
import { openS3FileStore } from "./s3FileStore.ts";

const SECRET = "secret-of-the-bucket-4711";

type Handler = (message: IncomingMessage, response: ServerResponse, body: Buffer) => void;

let folder: string;
let server: Server;
let store: FileStore;
let handler: Handler;
let requests: { method: string; url: string; body: Buffer }[];
let reported: unknown[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "purse-s3-store-"));
  requests = [];
  reported = [];
  handler = (_, response) => void response.writeHead(500).end();
  server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("error", () => undefined);
    message.on("end", () => {
      const body = Buffer.concat(chunks);
      requests.push({ method: message.method ?? "", url: message.url ?? "", body });
      handler(message, response, body);
    });
  });
  await new Promise<void>((succeed) => server.listen(0, "127.0.0.1", succeed));
  process.env.AWS_ACCESS_KEY_ID = "the-key-id";
  process.env.AWS_SECRET_ACCESS_KEY = SECRET;
  store = openS3FileStore({
    config: {
      kind: "s3",
      bucket: "files",
      prefix: "app/",
      region: "us-east-1",
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      forcePathStyle: true,
    },
    spoolFolder: folder,
    report: (error) => reported.push(error),
    timeouts: { connect: 1_000, request: 1_000, idle: 500 },
  });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((succeed) => server.close(succeed));
  rmSync(folder, { recursive: true });
  expect(JSON.stringify(reported.map((error) => String(error)))).not.toContain(SECRET);
});

async function* chunks(...content: (string | Buffer)[]) {
  for (const chunk of content) yield Buffer.from(chunk);
}

async function readAll(from: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of from) all.push(Uint8Array.from(chunk));
  return Buffer.concat(all).toString();
}

const UNREACHABLE = { code: 100, status: 503, message: "The file store is unavailable." };
const head = (headers: Record<string, string> = {}) => ({ "content-length": "10", etag: '"e"', ...headers });

/** Responds to HEAD with a file of ten bytes, and to GET as the test determines. */
function serve(onGet: Handler, headers: Record<string, string> = {}): void {
  handler = (message, response, body) =>
    message.method === "HEAD"
      ? void response.writeHead(200, head(headers)).end()
      : onGet(message, response, body);
}

describe("a file in S3", () => {
  it.each<[string, Handler]>([
    [
      "is truncated",
      (_, response) => {
        response.writeHead(200, { "content-length": "10" });
        response.write("12345", () => response.destroy());
      },
    ],
    ["is shorter than its announced length", (_, response) => response.writeHead(200).end("12345")],
    ["is longer than its announced length", (_, response) => response.writeHead(200).end("1234567890abc")],
    ["was deleted", (_, response) => response.writeHead(404).end()],
    [
      "is forbidden",
      (_, response) => response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>"),
    ],
    [
      "stalls",
      (_, response) => {
        response.writeHead(200, { "content-length": "10" });
        response.write("12345");
      },
    ],
  ])("cannot be read if it %s", async (_, onGet) => {
    serve(onGet);
    const file = await store.open("a.txt");
    await expect(readAll(file?.read(0, 9) ?? chunks())).rejects.toThrow();
  });

  it.each<[string, Handler]>([
    ["everything", (_, response) => response.writeHead(200).end("1234567890")],
    [
      "another part",
      (_, response) => response.writeHead(206, { "content-range": "bytes 0-2/10" }).end("123"),
    ],
    [
      "a part of something else",
      (_, response) => response.writeHead(206, { "content-range": "bytes 3-5/99" }).end("abc"),
    ],
  ])("cannot be read if S3 returns %s instead of the requested range", async (_, onGet) => {
    serve(onGet);
    const file = await store.open("a.txt");
    await expect(readAll(file?.read(3, 5) ?? chunks())).rejects.toThrow("S3 returned");
  });

  it("is read to its end if the connection falls silent after the first bytes", async () => {
    const ranges: unknown[] = [];
    serve(({ headers: { range } }, response) => {
      ranges.push(range);
      if (range === undefined) response.writeHead(200, { "content-length": "10" }).write("12345");
      else response.writeHead(206, { "content-range": "bytes 5-9/10" }).end("67890");
    });
    const file = await store.open("a.txt");
    expect(await readAll(file?.read(0, 9) ?? chunks())).toBe("1234567890");
    expect(ranges).toEqual([undefined, "bytes=5-9"]);
  });

  it("is read in the requested range", async () => {
    serve((_, response) => response.writeHead(206, { "content-range": "bytes 3-5/10" }).end("456"));
    const file = await store.open("a.txt");
    expect(await readAll(file?.read(3, 5) ?? chunks())).toBe("456");
  });

  it.each(["-1", "1e99", "ten", ""])("is rejected if its length is %j", async (length) => {
    serve((_, response) => response.end(), { "content-length": length });
    const opened = store.open("a.txt").then((file) => file?.size);
    await expect(opened).rejects.toMatchObject(UNREACHABLE);
  });

  it.each(['"a\u00e9"', "plain", `"${"x".repeat(300)}"`, '"a"b"'])(
    "has a generated ETag if that of S3 is %j",
    async (etag) => {
      serve((_, response) => response.end(), { etag });
      const file = await store.open("a.txt");
      expect(file?.etag).toMatch(/^"[\w-]{43}"$/);
    },
  );

  it("has a valid time even if S3 sends none", async () => {
    serve((_, response) => response.end(), { "last-modified": "yesterday" });
    const file = await store.open("a.txt").catch(() => undefined);
    if (file) expect(Number.isNaN(file.modifiedAt.getTime())).toBe(false);
  });

  it.each(["null", "[1]", "5", "not JSON", `{"metadata":{"a":"${"x".repeat(1_100_000)}"}}`])(
    "has no attributes if they are invalid: %.40s",
    async (text) => {
      handler = (_, response) => void response.writeHead(200).end(text);
      await expect(store.readAttributes("a.txt")).rejects.toMatchObject(UNREACHABLE);
    },
  );

  it("has only known attributes", async () => {
    handler = (_, response) =>
      void response
        .writeHead(200)
        .end('{"metadata":5,"tags":{"a":1},"hash":{"$gt":""},"url":"https://evil.example"}');
    expect(await store.readAttributes("a.txt")).toEqual({ metadata: {}, tags: { a: 1 } });
  });

  it("is listed only with a valid name below the prefix", async () => {
    const keys = [
      "app/content/a.txt",
      "app/content/../../secret",
      "other/b.txt",
      "app/content/\u0000",
      "app/content/d/b.txt",
    ];
    handler = (_, response) =>
      void response
        .writeHead(200, { "content-type": "application/xml" })
        .end(
          `<?xml version="1.0"?><ListBucketResult>${keys
            .map((key) => `<Contents><Key>${key.replace("\u0000", ".hidden")}</Key></Contents>`)
            .join("")}</ListBucketResult>`,
        );
    expect(await store.list("", 10)).toEqual(["a.txt", "d/b.txt"]);
  });

  it.each<[string, Handler]>([
    [
      "too much",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/xml" });
        const chunk = "<a></a>".repeat(100_000);
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        more();
      },
    ],
    [
      "recursive entities",
      (_, response) => {
        const levels = Array.from(
          { length: 12 },
          (_each, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`,
        );
        response
          .writeHead(200, { "content-type": "application/xml" })
          .end(
            `<!DOCTYPE x [<!ENTITY e0 "lol">${levels.join("")}]><ListBucketResult><Name>&e12;</Name></ListBucketResult>`,
          );
      },
    ],
    ["no XML", (_, response) => response.writeHead(500).end("<<<>>>")],
    ["nothing", () => undefined],
    ["a reset", (message) => message.socket.destroy()],
  ])("is listed with little time and memory if S3 sends %s", async (_, onRequest) => {
    handler = onRequest;
    const before = process.memoryUsage().rss;
    await store.list("", 10).catch((error: unknown) => expect(error).toMatchObject(UNREACHABLE));
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024);
  });
});

describe("an upload to S3", () => {
  const content = randomBytes(200_000);
  const puts = () => requests.filter(({ method }) => method === "PUT");
  const succeed: Handler = (_, response) => void response.writeHead(200, { etag: '"x"' }).end();

  it("contains the whole file, with its length and hash", async () => {
    handler = succeed;
    expect(await store.write("a.bin", chunks(content))).toBe(content.length);
    expect(puts()).toHaveLength(1);
    expect(puts()[0]?.body.equals(content)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([500, 502, 503, 429])("is retried after a %d, and once more", async (status) => {
    let failures = 0;
    handler = (message, response, body) => {
      failures += 1;
      if (failures > 2) succeed(message, response, body);
      else response.writeHead(status).end("<Error><Code>SlowDown</Code></Error>");
    };
    await store.write("a.bin", chunks(content));
    expect(puts().map(({ body }) => body.length)).toEqual([200_000, 200_000, 200_000]);
  });

  it("is retried with the time of S3 if the clock of this machine is wrong", async () => {
    const ahead = Date.now() + 24 * 3_600_000;
    const dates: unknown[] = [];
    handler = (message, response, body) => {
      dates.push(String(message.headers["x-amz-date"]).slice(0, 8));
      if (dates.length > 1) return succeed(message, response, body);
      const headers = { date: new Date(ahead).toUTCString() };
      return void response.writeHead(403, headers).end("<Error><Code>RequestTimeTooSkewed</Code></Error>");
    };
    await store.write("a.bin", chunks(content));
    expect(dates).toHaveLength(2);
    expect(dates[1]).not.toBe(dates[0]);
  });

  it("is given up after three attempts, without leaving temporary files", async () => {
    await expect(store.write("a.bin", chunks(content))).rejects.toMatchObject(UNREACHABLE);
    expect(puts()).toHaveLength(3);
    expect(reported).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is not retried if S3 rejects it", async () => {
    handler = (_, response) => void response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
    await expect(store.write("a.bin", chunks(content))).rejects.toMatchObject(UNREACHABLE);
    expect(puts()).toHaveLength(1);
  });

  it("is given up if S3 never responds", async () => {
    handler = () => undefined;
    await expect(store.write("a.bin", chunks("x"))).rejects.toMatchObject(UNREACHABLE);
  });

  it("is not started if the content fails, and rejects with the same error", async () => {
    const broken = async function* () {
      yield Buffer.from("abc");
      throw new Error("cut off");
    };
    await expect(store.write("a.bin", broken())).rejects.toThrow("cut off");
    expect(requests).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("in parts is aborted if a part fails", async () => {
    const large = Buffer.alloc(65 * 1024 * 1024, "a");
    handler = (message, response) => {
      const { method = "", url = "" } = message;
      if (method === "POST" && url.includes("uploads")) {
        response.end(
          "<InitiateMultipartUploadResult><UploadId>upload-1</UploadId></InitiateMultipartUploadResult>",
        );
      } else if (method === "PUT" && !url.includes("partNumber=5"))
        response.writeHead(200, { etag: '"p"' }).end();
      else if (method === "DELETE") response.writeHead(204).end();
      else response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
    };
    await expect(store.write("large.bin", chunks(large))).rejects.toMatchObject(UNREACHABLE);
    const aborted = requests.filter(
      ({ method, url }) => method === "DELETE" && url.includes("uploadId=upload-1"),
    );
    expect(aborted).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });
});
