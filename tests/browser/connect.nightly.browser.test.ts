import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { casesOf } from "../support/allCases.ts";
import { expectNoErrors, installWallet, type Visit } from "../support/browser.ts";
import { devAccount, devKey } from "../support/devAccount.ts";
import { follow } from "../support/navigation.ts";
import { passwordState, walletState } from "../support/signedIn.ts";
import { serveWebApp } from "../support/webApp.ts";

const TOKEN = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const WRITING = `/contract?address=${TOKEN}&chain=0x539&fn=${encodeURIComponent("transfer(address,uint256)")}`;

const app = serveWebApp();
let userCount = 0;

/** Opens a page of a new user with a password and without a wallet. */
async function openAsUser(options = {}): Promise<Visit & { username: string }> {
  userCount += 1;
  const username = `ada${userCount}`;
  const visitor = await app.open({ ...options, storageState: await passwordState(app.purse, username) });
  return { ...visitor, username };
}

const connectButton = (page: Page) =>
  page.getByRole("main").getByRole("button", { name: "Connect a wallet" });
const dialog = (page: Page) => page.getByRole("dialog", { name: "Connect a wallet" });

/** Pages and the element that each shows with a connected wallet. */
const PAGES = [
  { path: "/portfolio", shown: (page: Page) => page.getByText("Purse Token") },
  { path: "/send", shown: (page: Page) => page.getByLabel("Recipient") },
  { path: WRITING, shown: (page: Page) => page.getByRole("button", { name: "Simulate" }) },
];

describe("connecting a wallet on a phone without one", () => {
  it("offers to open the page in a wallet app", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const visitor = await openAsUser(phone);
    const { page } = visitor;
    await page.goto(`${app.purse.url}/send?to=${TOKEN}`);
    await connectButton(page).click();
    await dialog(page).getByText("Open this page in a wallet app:").waitFor();
    const links = dialog(page).getByRole("link", { name: /MetaMask|Coinbase Wallet|Trust/ });
    const targets = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    expect(targets.map((target) => new URL(target).host)).toEqual([
      "link.metamask.io",
      "go.cb-w.com",
      "link.trustwallet.com",
    ]);
    for (const target of targets) expect(decodeURIComponent(target)).toContain(`/send?to=${TOKEN}`);
    await expectAccessible(page);
    expectNoErrors(visitor);
  });
});

describe("connecting a wallet to a signed-in user", () => {
  // Others below connect on the page to send.
  it.each(casesOf(PAGES, ({ path }) => path !== "/send"))(
    "starts on the page $path, which shows the wallet's data once it is connected",
    async ({ path, shown }) => {
      const visitor = await openAsUser();
      const { page, username } = visitor;
      await installWallet(page, app.purse, 1);
      await page.goto(app.purse.url + path);
      const before = page.url();
      await connectButton(page).click();
      await expectAccessible(page);
      await dialog(page).getByRole("button", { name: "Test Wallet" }).click();
      await shown(page).first().waitFor();
      await expect.poll(() => dialog(page).count()).toBe(0);
      expect(page.url()).toBe(before);
      await page.getByRole("button", { name: "Account menu" }).click();
      await page.getByRole("menu").getByText(username).waitFor();
      expectNoErrors(visitor);
    },
  );

  it("works from the header, which can disconnect the wallet too", async () => {
    const { page } = await openAsUser();
    await installWallet(page, app.purse, 1);
    await page.goto(`${app.purse.url}/account`);
    await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
    await dialog(page).getByRole("button", { name: "Test Wallet" }).click();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Disconnect wallet" }).click();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Connect wallet" }).click();
    await dialog(page).waitFor();
  });

  it("requests a wallet again after it was locked", async () => {
    const { page } = await app.open({ storageState: await walletState(app.purse, 2) });
    const wallet = await installWallet(page, app.purse, 2);
    await page.goto(`${app.purse.url}/account`);
    await page.getByRole("link", { name: "Send" }).first().click();
    await page.getByLabel("Recipient").waitFor();
    await wallet.emit("accountsChanged", []);
    await connectButton(page).click();
    await dialog(page).getByRole("button", { name: "Test Wallet" }).click();
    await page.getByLabel("Recipient").waitFor();
  });

  it("can be retried after the user declined it in the wallet", async () => {
    const { page } = await openAsUser();
    const wallet = await installWallet(page, app.purse, 1);
    await page.goto(`${app.purse.url}/send`);
    wallet.declineNext();
    await connectButton(page).click();
    await dialog(page).getByRole("button", { name: "Test Wallet" }).click();
    await dialog(page).getByText("Request rejected in wallet").waitFor();
    await dialog(page).getByRole("button", { name: "Try again" }).click();
    await page.getByLabel("Recipient").waitFor();
  });

  it("offers to link the wallet to the account", async () => {
    const { page } = await openAsUser();
    await installWallet(page, app.purse, 7);
    await page.goto(`${app.purse.url}/send`);
    await connectButton(page).click();
    await dialog(page).getByRole("button", { name: "Test Wallet" }).click();
    await page.getByRole("button", { name: "Link to my account" }).click();
    await page.getByText("Wallet linked").waitFor();
    await follow(page, "/account?tab=security");
    await page
      .getByRole("list", { name: "Linked wallets" })
      .getByText(/0x14dc/i)
      .waitFor();
  });
});

describe("connecting a wallet without an account", () => {
  it("shows the portfolio and allows sending, and the header disconnects the wallet", async () => {
    const { page } = await app.open();
    await installWallet(page, app.purse, 1);
    await page.goto(`${app.purse.url}/portfolio`);
    await connectButton(page).click();
    await dialog(page).getByRole("button", { name: "Test Wallet" }).click();
    await page.getByText("Purse Token").first().waitFor();
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    await page.getByRole("link", { name: "Send" }).first().click();
    await page.getByLabel("Recipient").waitFor();
    await page.getByRole("button", { name: "Wallet menu" }).click();
    await page.getByRole("menuitem", { name: "Disconnect wallet" }).click();
    await connectButton(page).waitFor();
  });
});

describe("the development wallet", () => {
  async function signInWithAccount1(page: Page): Promise<void> {
    await page.goto(`${app.purse.url}/sign-in`);
    await page.getByRole("button", { name: /Account 1/ }).click();
    await page.getByRole("button", { name: "Sign in with this wallet" }).click();
    await page.waitForURL("**/portfolio");
  }

  it("reconnects after a reload and in other tabs without storing its key in the browser", async () => {
    const { page } = await app.open();
    await signInWithAccount1(page);
    await page.goto(`${app.purse.url}/send`);
    await page.getByLabel("Recipient").waitFor();
    const other = await page.context().newPage();
    await other.goto(`${app.purse.url}/send`);
    await other.getByLabel("Recipient").waitFor();
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept).toContain(devAccount(0).address.toLowerCase());
    expect(kept).not.toContain(devKey(0).slice(2));
  });

  it("does not reconnect after the user disconnected it", async () => {
    const { page } = await app.open();
    await signInWithAccount1(page);
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Disconnect wallet" }).click();
    await page.goto(`${app.purse.url}/send`);
    await connectButton(page).waitFor();
  });

  it("can be chosen by keyboard without losing the focus", async () => {
    const { page } = await app.open();
    await page.goto(`${app.purse.url}/sign-in`);
    await page.getByText("Test wallet").focus();
    await page
      .getByText(/^[\d,.]+ ETH$/)
      .first()
      .waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Sign in with this wallet" }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe("Sign in with this wallet");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/portfolio");
  });
});
