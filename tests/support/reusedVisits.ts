import type { Browser, Page } from "playwright-core";
import { type Visit, visit } from "./browser.ts";

/**
 * Visits one after the other in one page, whose process already has the code of the app: a page takes half of the CPU time to
 * load. Each begins without cookies, storage and history. Tests that add scripts, routes or emulation to a page, or that leave
 * the site, use `visit`.
 */
export function reuseVisits(): (browser: Browser) => Promise<Visit> {
  let idle: Visit | undefined;

  async function leave(visitor: Visit): Promise<void> {
    const isCleared = idle === undefined && (await clear(visitor.page));
    // Another visit may have ended at the same time.
    if (!isCleared || idle) {
      await visitor.close();
      return;
    }
    visitor.errors.length = 0;
    idle = visitor;
  }

  return async (browser) => {
    const visitor = idle ?? (await visit(browser));
    idle = undefined;
    return { ...visitor, close: () => leave(visitor) };
  };
}

/** Returns whether the page can be visited again: not if it is closed, on another site, or still loading. */
async function clear(page: Page): Promise<boolean> {
  const context = page.context();
  if (page.isClosed() || context.pages().length > 1 || !page.url().startsWith("http")) return false;
  const { origin } = new URL(page.url());
  try {
    await page.evaluate(() => sessionStorage.clear());
    await page.goto("about:blank");
    const devtools = await context.newCDPSession(page);
    await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    await devtools.send("Page.resetNavigationHistory");
    await devtools.detach();
    await context.clearCookies();
    return true;
  } catch {
    return false;
  }
}
