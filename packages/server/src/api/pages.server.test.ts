import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";
import { afterAll, expect, it } from "vitest";
import { createPages } from "./pages.ts";

const folder = mkdtempSync(join(tmpdir(), "pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("createPages() sends documents with their policy although the apps are below a folder named assets", async () => {
  const built = join(folder, "assets", "app");
  mkdirSync(join(built, "assets"), { recursive: true });
  writeFileSync(join(built, "index.html"), "<!doctype html><title>App</title>");
  writeFileSync(join(built, "assets", "font-1.woff2"), "font");
  const app = fastify();
  await app.register(createPages([built], { connect: [], frames: [], images: [] }));
  for (const url of ["/", "/index.html", "/account"]) {
    const { headers } = await app.inject(url);
    expect([url, headers["cache-control"]]).toEqual([url, "no-cache"]);
    expect(headers["content-security-policy"]).toContain("default-src 'self'");
  }
  const { headers } = await app.inject("/assets/font-1.woff2");
  expect(headers["cache-control"]).toContain("immutable");
  expect(headers["content-security-policy"]).toBeUndefined();
  await app.close();
});
