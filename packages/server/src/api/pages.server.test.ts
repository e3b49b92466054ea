import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";
import { afterAll, expect, it } from "vitest";
import { createDocsPages, DocsUnavailableError } from "./docsPages.ts";
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

it("createDocsPages() tells readers that the site is being built, or why there is none", async () => {
  const site = join(folder, "site");
  mkdirSync(site);
  writeFileSync(join(site, "index.html"), "<!doctype html><title>Docs</title>");
  const answers = [
    () => Promise.resolve(undefined),
    () => Promise.reject(new DocsUnavailableError("It is <not> built.")),
    () => Promise.resolve(site),
  ];
  const app = fastify();
  await app.register(createDocsPages({ open: async () => answers.shift()?.() }));
  const building = await app.inject("/docs/");
  expect([building.statusCode, building.headers["retry-after"], building.headers.refresh]).toEqual([
    503,
    "3",
    "3",
  ]);
  expect(building.body).toContain("is being built");
  expect(building.headers["content-security-policy"]).toContain("default-src 'self'");
  const missing = await app.inject("/docs/");
  expect([missing.statusCode, missing.headers.refresh]).toEqual([503, undefined]);
  expect(missing.body).toContain("It is &lt;not&gt; built.");
  expect((await app.inject("/docs/")).body).toContain("<title>Docs</title>");
  await app.close();
});
