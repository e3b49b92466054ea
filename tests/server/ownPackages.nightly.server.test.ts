import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse } from "../support/purse.ts";
import { send } from "../support/send.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse();
});
afterAll(() => purse?.remove());

/** The build is part of the first request. */
const BUILT = { timeout: 300_000 };

describe("the packages of a server", () => {
  it(
    "are sent with their integrity, for pages of any origin, and not again if they are known",
    BUILT,
    async () => {
      const response = await fetch(`${purse.url}/packages/client.tgz`);
      const body = Buffer.from(await response.arrayBuffer());
      expect(response.status).toBe(200);
      const digest = createHash("sha512").update(body).digest("base64");
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "application/octet-stream",
        "content-length": String(body.length),
        "cache-control": "no-cache",
        "access-control-allow-origin": "*",
        "x-content-type-options": "nosniff",
        "repr-digest": `sha-512=:${digest}:`,
      });
      const etag = response.headers.get("etag") ?? "";
      const again = await fetch(`${purse.url}/packages/client.tgz`, { headers: { "if-none-match": etag } });
      expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
      const head = await fetch(`${purse.url}/packages/client.tgz`, { method: "HEAD" });
      expect([head.status, head.headers.get("content-length")]).toEqual([200, String(body.length)]);
    },
  );

  it("include the client as a module for pages, whose parts are cached for ever", BUILT, async () => {
    const response = await fetch(`${purse.url}/packages/client.js`);
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const code = await response.text();
    const [, part = ""] = /from"\.\/(chunks\/[^"]+)"/.exec(code) ?? [];
    const chunk = await fetch(`${purse.url}/packages/${part}`);
    expect([chunk.status, chunk.headers.get("cache-control")]).toEqual([
      200,
      "public, max-age=31536000, immutable",
    ]);
  });

  it.each([
    "/packages/nothing.tgz",
    "/packages/index.json",
    "/packages/%63lient.tgz",
    "/packages/..%2fclient.tgz",
  ])("are not at %s, where the answer lists them", async (path) => {
    const { status, text } = await send(purse.url + path, { method: "GET", headers: {} });
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ code: 101, error: expect.stringContaining("client.tgz") });
  });

  it(
    "name the server as the client knows it in development, and by its public URL in production",
    BUILT,
    async () => {
      const etagFor = async (server: Purse, host: string) => {
        const { headers } = await send(`${server.url}/packages/react.tgz`, {
          method: "GET",
          headers: { host },
        });
        return headers.get("etag");
      };
      expect(await etagFor(purse, "localhost:1")).not.toBe(await etagFor(purse, "localhost:2"));
      const env = { PURSE_ENV: "production", PURSE_SERVER_URL: "https://purse.example/server" };
      const production = await hostPurse({ env });
      try {
        const etag = await etagFor(production, "purse.example");
        expect(etag).toMatch(/^"/);
        expect(await etagFor(production, "evil.example")).toBe(etag);
      } finally {
        await production.remove();
      }
    },
  );
});
