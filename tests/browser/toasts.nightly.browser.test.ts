import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { installWallet } from "../support/browser.ts";
import { walletState } from "../support/signedIn.ts";
import { serveWebApp } from "../support/webApp.ts";

const PHONE = { width: 390, height: 844 };

const app = serveWebApp();

/** Opens a page of a user who has signed in with the wallet of a development account. */
async function visitAs(index: number, viewport = { width: 1280, height: 800 }): Promise<Page> {
  const storageState = await walletState(app.purse, index);
  const { page } = await app.openUncached({ viewport, storageState });
  await installWallet(page, app.purse, index);
  await page.clock.install();
  await page.goto(`${app.purse.url}/data`);
  return page;
}

/** How far the clock of a page goes at each look. */
const STEP_MS = 50;

/** Waits for an element of a page whose clock stands still otherwise, so that no toast disappears meanwhile. */
async function appears(element: Locator): Promise<void> {
  const isShown = async () => {
    await element.page().clock.runFor(STEP_MS);
    return element.isVisible();
  };
  await expect.poll(isShown).toBe(true);
}

describe("a toast", () => {
  /** Makes a page show a toast. */
  async function show(page: Page): Promise<Locator> {
    await page.getByRole("button", { name: /Account menu|Wallet menu/ }).click();
    const copy = page.getByRole("menuitem", { name: "Copy address" });
    await copy.waitFor();
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
    await copy.click();
    const toast = page.locator(".toast").first();
    await appears(toast);
    return toast;
  }

  async function boxOf(locator: Locator) {
    const box = await locator.boundingBox();
    if (!box) throw new Error("it is not shown");
    return { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height };
  }

  it("is placed next to the page and below the navigation and its switches on a desktop", async () => {
    const page = await visitAs(5);
    const toast = await boxOf(await show(page));
    const main = await boxOf(page.locator(".main"));
    const nav = await boxOf(page.getByRole("navigation", { name: "Pages" }));
    expect(toast.right).toBeLessThanOrEqual(main.left);
    expect(toast.top).toBeGreaterThan(nav.bottom);
    // The switches move up for it.
    await expect
      .poll(async () => (await boxOf(page.locator(".side-foot"))).bottom)
      .toBeLessThanOrEqual(toast.top);
  });

  it("is placed over the navigation bar on a phone and above the buttons of a dialog", async () => {
    const page = await visitAs(5, PHONE);
    const toast = await boxOf(await show(page));
    const bar = await boxOf(page.locator(".side"));
    expect(toast.top).toBeGreaterThanOrEqual(bar.top - 1);
    await page.getByRole("button", { name: "New record" }).click();
    await appears(page.locator(".dialog-foot"));
    const foot = await boxOf(page.locator(".dialog-foot"));
    expect((await boxOf(page.locator(".toast").first())).bottom).toBeLessThan(foot.top);
  });
});
