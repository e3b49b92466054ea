import { beforeAll, describe, expect, it } from "vitest";
import { ensureDocsBuilt } from "../../scripts/build.mjs";
import { accessibilityProblems } from "../support/accessibility.ts";
import { startPurse } from "../support/purse.ts";
import { serveAppBy } from "../support/webApp.ts";

beforeAll(() => ensureDocsBuilt(), 300_000);
const app = serveAppBy(() => startPurse({ devChain: true }));

const PHONE = { viewport: { width: 390, height: 844 } };
const PAGES = ["/docs/", "/docs/guide/queries", "/docs/deploy/containers", "/docs/reference/errors"];

describe("the documentation of a server", () => {
  it.each(["light", "dark"] as const)(
    "is accessible and as wide as a phone, in the %s theme, without scripts that its policy refuses",
    async (colorScheme) => {
      const { page, errors } = await app.open({ ...PHONE, colorScheme });
      for (const path of PAGES) {
        await page.goto(app.purse.url + path);
        await page.locator("h1").first().waitFor();
        expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect([path, overflow]).toEqual([path, 0]);
      }
      expect(errors).toEqual([]);
    },
  );

  it.each([768, 1024])("fits into %s pixels", async (width) => {
    const { page } = await app.open({ viewport: { width, height: 700 } });
    await page.goto(`${app.purse.url}/docs/guide/queries`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });

  it("finds pages for users before those of contributors, and opens what was found", async () => {
    const { page } = await app.open();
    await page.goto(`${app.purse.url}/docs/contribute/testing`);
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search").fill("reset password");
    const first = page.locator("#localsearch-list a").first();
    await first.waitFor();
    expect(await first.getAttribute("href")).toMatch(/^\/docs\/guide\/users#/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await first.click();
    await page.waitForURL(/\/docs\/guide\/users#/);
    await page.getByRole("heading", { name: "Reset a password" }).waitFor();
  });

  it("has the theme that was chosen in the app, and the other way round", async () => {
    const { page } = await app.open({ colorScheme: "light" });
    await page.goto(app.purse.url);
    await page.evaluate(() => localStorage.setItem("purse/theme", "dark"));
    await page.goto(`${app.purse.url}/docs/guide/queries`);
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
    expect(await isDark()).toBe(true);
    await page.getByRole("switch").first().click();
    await expect.poll(isDark).toBe(false);
    await page.goto(app.purse.url);
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).not.toBe("dark");
  });

  it("has a page for what does not exist, from which the search opens", async () => {
    const { page } = await app.open();
    const response = await page.goto(`${app.purse.url}/docs/guide/no-such-page`);
    expect(response?.status()).toBe(404);
    await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await page.getByPlaceholder("Search").waitFor();
  });

  it("sends requests to the data API of its server", async () => {
    const { page } = await app.open();
    await page.goto(`${app.purse.url}/docs/reference/data-endpoints`);
    await page.getByText("Try it on this server").click();
    await page.getByRole("combobox").selectOption("web3ApiVersion");
    await page.getByRole("button", { name: "Send request" }).click();
    await page.getByText(/^200 · /).waitFor();
    expect(await page.getByRole("region", { name: "Response" }).textContent()).toContain("version");
  });

  it("filters the rows of behavior differences", async () => {
    const { page } = await app.open();
    await page.goto(`${app.purse.url}/docs/migrate/behavior-differences`);
    await page.getByRole("searchbox", { name: "Filter rows" }).fill("webhook error code");
    await expect.poll(() => page.locator(".vp-doc tbody tr:visible").count()).toBeLessThan(5);
    await page.getByText("A webhook that responds with").waitFor();
    await page.getByRole("searchbox", { name: "Filter rows" }).fill("");
    await expect.poll(() => page.locator(".vp-doc tbody tr:visible").count()).toBeGreaterThan(100);
  });

  it("links each page to its Markdown, and to the next page", async () => {
    const { page } = await app.open();
    await page.goto(`${app.purse.url}/docs/guide/queries`);
    const twin = await page.locator('link[rel="alternate"][type="text/markdown"]').getAttribute("href");
    expect(twin).toBe("/docs/guide/queries.md");
    const markdown = await fetch(app.purse.url + twin);
    expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(await markdown.text()).toMatch(/^# Queries\n/);
    await page.getByRole("link", { name: /^Next page/ }).click();
    await page.waitForURL(/\/docs\/guide\/permissions$/);
  });
});
