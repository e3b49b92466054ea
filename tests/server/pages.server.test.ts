import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse();
});
afterAll(() => purse?.remove());

interface Page {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

/** Requests an unchanged path with only the given headers. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Page> {
  const { hostname, port } = new URL(purse.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    })
      .on("error", reject)
      .end();
  });
}

const ENCODINGS = [undefined, "identity", "gzip", "br", "zstd, br;q=0.5", "*", "unknown"];

describe("the pages of the apps", () => {
  it.each(ENCODINGS)("are served to clients that accept the encoding %s", async (encoding) => {
    const headers: Record<string, string> = encoding === undefined ? {} : { "accept-encoding": encoding };
    for (const path of [
      "/",
      "/?a=1",
      "/account",
      "/studio",
      "/studio/",
      "/studio/data?class=A",
      "/assets/",
    ]) {
      const page = await get(path, headers);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.headers["content-type"]).toContain("text/html");
      expect(page.headers["content-security-policy"]).toContain("default-src 'self'");
      expect(page.headers.vary).toContain("accept-encoding");
    }
  });

  it("are those of the studio below /studio only", async () => {
    const [app, studio] = await Promise.all(["/studies", "/studio/roles"].map((path) => get(path)));
    expect(app?.body.equals(studio?.body ?? Buffer.alloc(0))).toBe(false);
    expect((await get("/studio")).body.equals(studio?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it("evaluate scripts in the studio's sandbox only, which has an opaque origin and no connections", async () => {
    const sandbox = await get("/studio/script-sandbox");
    const policy = String(sandbox.headers["content-security-policy"]).split("; ");
    expect(policy).toEqual(
      expect.arrayContaining([
        "sandbox allow-scripts",
        "default-src 'none'",
        "connect-src 'none'",
        "frame-ancestors 'self'",
      ]),
    );
    expect(policy.join()).toContain("'unsafe-eval'");
    for (const path of ["/", "/studio", "/studio/script-sandbox/", "/studio/console"]) {
      const page = await get(path);
      expect([path, page.headers["content-security-policy"]]).toEqual([
        path,
        expect.not.stringContaining("unsafe-eval"),
      ]);
    }
  });

  it("return 304 to a browser with a current copy", async () => {
    const { headers } = await get("/");
    const again = await get("/", { "if-none-match": String(headers.etag) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  it("have compressed scripts with immutable caching", async () => {
    const script = /src="(\/assets\/[^"]+\.js)"/.exec((await get("/")).body.toString())?.[1] ?? "";
    const plain = await get(script);
    const compressed = await get(script, { "accept-encoding": "br" });
    expect(plain.headers["cache-control"]).toContain("immutable");
    expect(compressed.headers["content-encoding"]).toBe("br");
    expect(compressed.body.length).toBeLessThan(plain.body.length / 2);
  });

  it("have the same scripts and styles for each encoding, also when they are requested again", async () => {
    const html = (await get("/")).body.toString();
    const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, path = ""]) => path,
    );
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const plain = await get(path);
      for (const method of ["GET", "GET", "HEAD"]) {
        const { status, headers, body } = await get(
          path,
          { "accept-encoding": "gzip, deflate, br, zstd" },
          method,
        );
        expect([path, status]).toEqual([path, 200]);
        for (const name of ["content-type", "cache-control", "vary", "x-content-type-options"])
          expect([path, headers[name]]).toEqual([path, plain.headers[name]]);
        expect(headers["x-content-type-options"]).toBe("nosniff");
        // The policies of documents have no effect here, and would be most of the bytes of a small file.
        expect(headers["content-security-policy"]).toBeUndefined();
        expect(Number(headers["content-length"])).toBeGreaterThan(0);
        if (method === "HEAD") expect(body.length).toBe(0);
        else {
          const text = headers["content-encoding"] === "br" ? brotliDecompressSync(body) : body;
          expect(text.equals(plain.body)).toBe(true);
        }
      }
      const part = await get(path, { "accept-encoding": "br", range: "bytes=0-9" });
      expect([path, part.status, part.body.length]).toEqual([path, 206, 10]);
    }
  });

  it("name the files that a page needs besides those of the document, which are served", async () => {
    const document = (await get("/portfolio")).body.toString();
    expect((await get("/")).body.toString()).toBe(document);
    for (const page of [
      "/",
      "/portfolio?address=0x1",
      "/sign-in",
      "/account",
      "/files",
      "/data",
      "/send",
      "/explorer",
    ]) {
      const files = [...String((await get(page)).headers.link).matchAll(/<([^>]+)>; rel=(\w+)/g)];
      expect(files.map(([, , relation]) => relation)).toContain("modulepreload");
      for (const [, path = ""] of files) {
        expect(document).not.toContain(path);
        expect([page, path, (await get(path)).status]).toEqual([page, path, 200]);
      }
    }
    const { headers } = await get("/portfolio?address=0x1");
    const [block, other] = await Promise.all([get("/explorer/block/59"), get("/explorer/block/60/")]);
    expect(block.headers.link).not.toBe(headers.link);
    expect(other.headers.link).toBe(block.headers.link);
    for (const path of ["/studio", "/studio/data", "/no/such/page"])
      expect([path, (await get(path)).headers.link]).toEqual([path, undefined]);
  });

  it.each(["/nothing.js", "/assets/nothing.js", "/server.ts"])(
    "are not returned for the missing file %s",
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ code: 101 });
    },
  );

  it.each([
    "/../package.json",
    "/assets/../../package.json",
    "/%2e%2e/package.json",
    "/..%2fpackage.json",
    "/assets/..%5c..%5cpackage.json",
    "//etc/passwd",
    "/assets//../..//package.json",
    "/%00",
    "/index.html%00.js",
  ])("are never read from outside their folder: %s", async (path) => {
    for (const encoding of ["identity", "gzip"]) {
      const answer = await get(path, { "accept-encoding": encoding });
      expect(answer.status).toBeLessThan(500);
      expect(answer.body.toString()).not.toContain("@purse");
      expect(answer.body.toString()).not.toContain("root:");
    }
  });

  it("support GET and HEAD only", async () => {
    expect((await get("/", {}, "HEAD")).status).toBe(200);
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "PROPFIND"])
      expect((await get("/account", {}, method)).status).toBe(404);
  });
});

describe("the documentation", () => {
  it.each([
    ["/docs/", "Purse"],
    ["/docs/index.html", "Purse"],
    ["/docs/guide/queries", "Queries"],
    ["/docs/guide/queries?a=1", "Queries"],
    ["/docs/guide/queries.html", "Queries"],
    ["/docs/studio/", "Studio"],
  ])("has a page at %s, with the policy of pages, that is checked for changes", async (path, title) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, body } = await get(path, {}, method);
      expect([method, status]).toEqual([method, 200]);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(headers["cache-control"]).toBe("no-cache");
      expect(headers["content-security-policy"]).toContain("default-src 'self'");
      expect(body.toString()).toContain(method === "GET" ? `<title>${title}</title>` : "");
    }
  });

  it.each([
    ["/docs", "/docs/"],
    ["/docs?a=1", "/docs/?a=1"],
    ["/docs/guide/queries/", "/docs/guide/queries"],
    ["/docs/guide/queries/?a=%2F", "/docs/guide/queries?a=%2F"],
    ["/docs/studio", "/docs/studio/"],
  ])("leads from %s to %s", async (path, location) => {
    const { status, headers } = await get(path);
    expect([status, headers.location]).toEqual([301, location]);
  });

  it("is Markdown and text with their types, and scripts that are cached for ever", async () => {
    for (const [path, type, cache] of [
      ["/docs/guide/queries.md", "text/markdown; charset=utf-8", "no-cache"],
      ["/docs/llms.txt", "text/plain; charset=utf-8", "no-cache"],
      [
        "/docs/assets/app.12345678.js",
        "application/javascript; charset=utf-8",
        "public, max-age=31536000, immutable",
      ],
    ]) {
      const { status, headers } = await get(path ?? "");
      const { "content-type": sent, "cache-control": caching, "x-content-type-options": sniffing } = headers;
      expect([path, status, sent, caching, sniffing]).toEqual([path, 200, type, cache, "nosniff"]);
    }
  });

  it("is compressed for those who accept it, and not sent again to a browser with a current copy", async () => {
    const plain = await get("/docs/guide/queries");
    const compressed = await get("/docs/guide/queries", { "accept-encoding": "gzip, br" });
    expect(compressed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
    expect(compressed.headers.vary).toContain("accept-encoding");
    for (const { headers } of [plain, compressed]) {
      const again = await get("/docs/guide/queries", { "if-none-match": String(headers.etag) });
      expect([again.status, again.body.length]).toEqual([304, 0]);
    }
  });

  it.each(["/docs/nothing", "/docs/guide/nothing.html", "/docs/nothing/", "/docs/guide", "/docs/no.png"])(
    "answers 404 with its own page at %s",
    async (path) => {
      const { status, headers, body } = await get(path);
      expect(status).toBe(404);
      expect(headers["content-type"]).toContain("text/html");
      expect(headers["content-security-policy"]).toContain("default-src 'self'");
      expect(headers["cache-control"]).toBe("no-cache");
      expect(body.toString()).toContain("No such page");
    },
  );

  it.each([
    "/docs/../package.json",
    "/docs/../../../package.json",
    "/docs/guide/../../pages.html",
    "/docs/%2e%2e/createdApp/package.json",
    "/docs/..%2fcreatedApp%2fpackage.json",
    "/docs/..%5ccreatedApp%5cpackage.json",
    "/docs/%252e%252e/createdApp/package.json",
    "/docs//etc/passwd",
    "/docs/%2fetc%2fpasswd",
    "/docs/.hidden",
    "/docs/%2ehidden",
    "/docs/./guide/queries",
    "/docs/guide//queries",
    "/docs/guide/queries%00.html",
    "/docs/%ff",
    "/docs/%",
    "/docs//evil.example",
    "/docs//evil.example/",
    "/%64ocs/guide/queries",
    "/docs/C:/windows/win.ini",
  ])("has nothing at %s", async (path) => {
    const { status, headers, body } = await get(path);
    expect([400, 404]).toContain(status);
    expect(headers.location).toBeUndefined();
    expect(body.toString()).not.toMatch(/hidden|root:|"name"/);
  });

  it("supports GET and HEAD only", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH"])
      expect([method, (await get("/docs/", {}, method)).status]).toEqual([method, 404]);
  });

  it("does not take paths of the app that begin in the same way", async () => {
    for (const path of ["/docsother", "/documents"])
      expect((await get(path)).body.equals((await get("/account")).body)).toBe(true);
  });
});
