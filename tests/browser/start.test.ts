import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { APP_PAGES } from "../support/appPages.ts";
import { launchBrowser, visit } from "../support/browser.ts";
import { type Purse, startPurse } from "../support/purse.ts";

const SLOW_MS = 1_000;
/** One path of each page: all tabs of a page have the same code. */
const PAGES = [...new Map(APP_PAGES.map((path) => [path.split("?")[0], path])).values()];
/** The resource that arrives last: each order is a race condition. */
const RACES = [
  { locale: "en-US", last: "the settings", path: "**/config.json" },
  { locale: "de-DE", last: "the settings", path: "**/config.json" },
  { locale: "de-DE", last: "the translations", path: "**/assets/de-*.js" },
] as const;

let purse: Purse;
let browser: Browser;

beforeAll(async () => {
  [purse, browser] = await Promise.all([startPurse({ devChain: true }), launchBrowser()]);
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await purse?.remove();
});

/** Returns the problems of a page that a new visitor opens with one slow resource. */
async function problemsOf(path: string, { locale, path: slow }: (typeof RACES)[number]): Promise<string[]> {
  const { page, errors, close } = await visit(browser, { locale });
  try {
    await page.route(slow, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      await route.continue();
    });
    await page.goto(purse.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    const alerts = await page.getByRole("alert").allInnerTexts();
    return [...alerts, ...errors].map((problem) => `${path}: ${problem}`);
  } finally {
    await close();
  }
}

describe("the first visit of a page", () => {
  it.each(RACES)(
    "sends no request before the client has started, in $locale where $last load last",
    async (race) => {
      const waiting = [...PAGES];
      const problems: string[] = [];
      const work = async () => {
        for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
          problems.push(...(await problemsOf(path, race)));
        }
      };
      await Promise.all([work(), work(), work()]);
      expect(problems).toEqual([]);
    },
    300_000,
  );
});

describe("the installed app", () => {
  it("has a manifest with icons, and starts offline after the first visit", async () => {
    const { page, close } = await visit(browser, { serviceWorkers: "allow" });
    try {
      await page.goto(purse.url);
      const manifest = await (await fetch(`${purse.url}/manifest.webmanifest`)).json();
      expect(manifest).toMatchObject({ start_url: "/", display: "standalone" });
      for (const { src, type } of Object(manifest).icons) {
        const icon = await fetch(purse.url + src);
        expect([src, icon.status, icon.headers.get("content-type")]).toEqual([src, 200, type]);
      }
      await page.evaluate(async () => {
        await navigator.serviceWorker.ready;
        while (!navigator.serviceWorker.controller) await new Promise(requestAnimationFrame);
      });
      await page.context().setOffline(true);
      await page.goto(`${purse.url}/`);
      await page.getByRole("heading", { name: "Your own wallet-ready backend" }).waitFor();
      await page.getByText("You're offline. Data may be out of date.").waitFor();
      // Data is never cached: requests of the app fail as without a service worker.
      const isKept = await page.evaluate(async () => {
        const keys = await (await caches.open("purse-shell-1")).keys();
        return keys.some(({ url }) => /\/(server|api|health)/.test(new URL(url).pathname));
      });
      expect(isKept).toBe(false);
    } finally {
      await close();
    }
  });
});
