import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import {
  installWallet,
  releaseBrowser,
  type TestWallet,
  testBrowser,
  type Visit,
  visit,
} from "../support/browser.ts";
import { devAccount } from "../support/devAccount.ts";
import type { Purse } from "../support/purse.ts";
import { walletState } from "../support/signedIn.ts";
import { hostSite } from "../support/site.ts";

const PHONE = { width: 390, height: 844 };

let purse: Purse;
let browser: Browser;
let visits: Visit[] = [];

beforeAll(async () => {
  [purse, browser] = await Promise.all([hostSite({ devChain: true }), testBrowser()]);
}, 90_000);
afterAll(async () => {
  await releaseBrowser(browser);
  await purse?.remove();
});
afterEach(async () => {
  await Promise.all(visits.map((each) => each.close()));
  visits = [];
});

/** Opens a page of a user who has signed in with the wallet of a development account, and records all its toasts. */
async function visitAs(index: number, viewport = { width: 1280, height: 800 }) {
  const visitor = await visit(browser, { viewport, storageState: await walletState(purse, index) });
  visits.push(visitor);
  const { page } = visitor;
  page.setDefaultTimeout(20_000);
  const wallet = await installWallet(page, purse, index);
  const toasts = await recordToasts(page);
  await page.goto(`${purse.url}/data`);
  return { page, wallet, toasts };
}

/** Records the texts of all toasts that a page shows from now on, also after a reload. */
async function recordToasts(page: Page): Promise<string[]> {
  const toasts: string[] = [];
  await page.exposeFunction("purseToastShown", (text: string) => toasts.push(text));
  await page.addInitScript(() => {
    const seen = new WeakSet<Node>();
    new MutationObserver(() => {
      for (const toast of document.querySelectorAll(".toast .grow")) {
        if (seen.has(toast)) continue;
        seen.add(toast);
        Reflect.get(window, "purseToastShown")(toast.textContent);
      }
    }).observe(document, { childList: true, subtree: true });
  });
  return toasts;
}

async function send(page: Page, amount: string, to: string): Promise<void> {
  await page.goto(`${purse.url}/send?to=${to}&amount=${amount}&step=review`);
  await page.getByRole("button", { name: "Send ETH" }).click();
  await page.getByRole("heading", { name: "Sent" }).waitFor();
}

const ofTransactions = (toasts: readonly string[]) =>
  toasts.filter((text) => text.endsWith(": confirmed")).toSorted();

describe("the confirmation of a transaction", () => {
  it("is shown once, not again by a reloaded page or another tab", async () => {
    const { page, wallet, toasts } = await visitAs(5);
    const to = devAccount(6).address;
    for (const amount of ["0.11", "0.12"]) {
      await send(page, amount, to);
      await expect.poll(() => toasts).toContain(`Send ${amount} ETH: confirmed`);
    }
    const tab = await page.context().newPage();
    const walletOfTab = await installWallet(tab, purse, 5);
    const elsewhere = await recordToasts(tab);
    for (const path of casesOf(["/portfolio", "/account"], (each) => each === "/account")) {
      for (const each of [page, tab]) await each.goto(purse.url + path);
      await Promise.all([wallet, walletOfTab].map(watchesTransactions));
    }
    expect(ofTransactions(toasts)).toEqual(["Send 0.11 ETH: confirmed", "Send 0.12 ETH: confirmed"]);
    expect(elsewhere).toEqual([]);
  });

  it("is shown by only one of two open tabs", async () => {
    const { page, wallet, toasts } = await visitAs(7);
    const tab = await page.context().newPage();
    const walletOfTab = await installWallet(tab, purse, 7);
    const elsewhere = await recordToasts(tab);
    await tab.goto(`${purse.url}/data`);
    await tab.getByRole("button", { name: "Account menu" }).waitFor();
    await send(page, "0.21", devAccount(6).address);
    await expect.poll(() => ofTransactions([...toasts, ...elsewhere])).toEqual(["Send 0.21 ETH: confirmed"]);
    await Promise.all([wallet, walletOfTab].map(watchesTransactions));
    expect(ofTransactions([...toasts, ...elsewhere])).toEqual(["Send 0.21 ETH: confirmed"]);
  });
});

/** Waits until a page has polled pending transactions twice, after which it has shown all toasts. */
async function watchesTransactions({ requestedMethods: requested }: TestWallet): Promise<void> {
  const looks = () => requested.filter((method) => method === "eth_getTransactionReceipt").length;
  const wanted = looks() + 3;
  await expect.poll(looks, { timeout: 20_000 }).toBeGreaterThanOrEqual(wanted);
}

describe("a toast", () => {
  /** Makes a page show a toast, with an open side panel if `panel` is set. */
  async function show(page: Page): Promise<Locator> {
    await page.getByRole("button", { name: /Account menu|Wallet menu/ }).click();
    await page.getByRole("menuitem", { name: "Copy address" }).click();
    const toast = page.locator(".toast").first();
    await toast.waitFor();
    return toast;
  }

  async function boxOf(locator: Locator) {
    const box = await locator.boundingBox();
    if (!box) throw new Error("it is not shown");
    return { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height };
  }

  it("is placed next to the page and below the navigation links on a desktop", async () => {
    const { page } = await visitAs(5);
    const toast = await boxOf(await show(page));
    const main = await boxOf(page.locator(".main"));
    const nav = await boxOf(page.getByRole("navigation", { name: "Pages" }));
    expect(toast.right).toBeLessThanOrEqual(main.left);
    expect(toast.top).toBeGreaterThan(nav.bottom);
  });

  it("is placed over the navigation bar on a phone and above the buttons of a dialog", async () => {
    const { page } = await visitAs(5, PHONE);
    const toast = await boxOf(await show(page));
    const bar = await boxOf(page.locator(".side"));
    expect(toast.top).toBeGreaterThanOrEqual(bar.top - 1);
    await page.getByRole("button", { name: "New record" }).click();
    const foot = await boxOf(page.locator(".dialog-foot"));
    expect((await boxOf(page.locator(".toast").first())).bottom).toBeLessThan(foot.top);
  });
});
