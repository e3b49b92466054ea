import type { Browser } from "playwright-core";
import { createPublicClient, formatEther, http, parseEther } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  expectNoErrors,
  installWallet,
  releaseBrowser,
  signInWithWallet,
  signUpInPage,
  testBrowser,
  type Visit,
  visit,
} from "../support/browser.ts";
import { devAccount } from "../support/devAccount.ts";
import { grouped } from "../support/grouped.ts";
import type { Purse } from "../support/purse.ts";
import { passwordState, walletState } from "../support/signedIn.ts";
import { hostSite } from "../support/site.ts";

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

async function open(options = {}): Promise<Visit> {
  const visitor = await visit(browser, options);
  visitor.page.setDefaultTimeout(30_000);
  visits.push(visitor);
  return visitor;
}

const node = () => createPublicClient({ transport: http(purse.rpcUrl) });

describe("signing in with a wallet", () => {
  it("connects an announced wallet, signs a message and shows the wallet's real balance", {
    tags: [
      "0.title.wrapped-app",
      "0.browser-app",
      "1.capability.connect-wallet",
      "1.capability.sign-in-by-message",
    ],
  }, async () => {
    const visitor = await open();
    const { page } = visitor;
    await installWallet(page, purse, 4);
    await signInWithWallet(page, purse);
    const balance = await node().getBalance({ address: devAccount(4).address });
    await page
      .getByRole("region", { name: "Tokens" })
      .getByTitle(`${grouped(formatEther(balance))} ETH`)
      .waitFor();
    expectNoErrors(visitor);
  });

  it("shows the tokens of the wallet", { tags: ["1.capability.query-balances"] }, async () => {
    const { page } = await open({ storageState: await walletState(purse, 1) });
    await installWallet(page, purse, 1);
    await page.goto(`${purse.url}/portfolio`);
    await page.getByRole("region", { name: "Tokens" }).getByText("Purse Token").waitFor();
  });

  it("keeps the user signed in and the wallet connected after a reload", {
    tags: ["4.auth.load.stored-user"],
  }, async () => {
    const { page } = await open();
    await installWallet(page, purse, 2);
    await signInWithWallet(page, purse);
    await page.reload();
    await page.getByRole("button", { name: "Account menu" }).waitFor();
    await page.goto(`${purse.url}/send`);
    await page.getByLabel("Recipient").waitFor();
  });

  it("explains a request declined in the wallet and offers to try again", async () => {
    const { page } = await open();
    const wallet = await installWallet(page, purse, 3);
    await page.goto(`${purse.url}/sign-in`);
    wallet.declineNext();
    await page.getByRole("button", { name: "Test Wallet" }).click();
    await page.getByText("Request rejected in wallet").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Sign in with this wallet" }).click();
    await page.waitForURL("**/portfolio");
  });

  it("uses the embedded development wallet if no other is installed", async () => {
    const { page } = await open();
    await page.goto(`${purse.url}/sign-in`);
    await page.getByRole("button", { name: /Account 3/ }).click();
    await page.getByRole("button", { name: "Sign in with this wallet" }).click();
    await page.waitForURL("**/portfolio");
    await page.goto(`${purse.url}/account`);
  });
});

describe("signing in with a password", () => {
  it("signs up, signs out and logs in again", { tags: ["1.provider.authentication"] }, async () => {
    const visitor = await open();
    const { page } = visitor;
    await signUpInPage(page, purse, "grace", "/account");
    expect(await page.getByLabel("Username").inputValue()).toBe("grace");
    await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are not signed in").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("tab", { name: "Password" }).click();
    await page.getByLabel("Username").fill("grace");
    await page.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.waitForURL("**/account");
    expectNoErrors(visitor);
  });

  it("explains a wrong password and keeps the input", async () => {
    const { page } = await open();
    await page.goto(`${purse.url}/sign-in`);
    await page.getByRole("tab", { name: "Password" }).click();
    await page.getByLabel("Username").fill("nobody");
    await page.getByRole("textbox", { name: "Password" }).fill("wrong");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByText("Wrong username or password").waitFor();
    expect(await page.getByLabel("Username").inputValue()).toBe("nobody");
  });

  it("shows missing values next to the fields", async () => {
    const { page } = await open();
    await page.goto(`${purse.url}/sign-in`);
    await page.getByRole("tab", { name: "Password" }).click();
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByText("Enter a username.").waitFor();
    await page.getByText("Enter a password.").waitFor();
  });
});

describe("sending", () => {
  it("transfers native currency and tracks it until it is confirmed, also after a reload", {
    tags: ["1.capability.transfer-native"],
  }, async () => {
    const visitor = await open({ storageState: await walletState(purse, 5) });
    const { page } = visitor;
    await installWallet(page, purse, 5);
    await page.goto(`${purse.url}/account`);
    const to = devAccount(6).address;
    const before = await node().getBalance({ address: to });
    await page.getByRole("link", { name: "Send" }).first().click();
    await page.getByLabel("Recipient").fill(to);
    await page.getByLabel(/^Amount \(/).fill("1,25");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("1.25 ETH", { exact: true }).waitFor();
    await page.getByText("−1.25 ETH").waitFor();
    await page.getByRole("button", { name: "Send ETH" }).click();
    await page.getByRole("heading", { name: "Sent" }).waitFor();
    expect((await node().getBalance({ address: to })) - before).toBe(parseEther("1.25"));
    await page.reload();
    await page.getByRole("heading", { name: "Sent" }).waitFor();
    expectNoErrors(visitor);
  });

  it("rejects an invalid address, a mistyped address and an amount above the balance", async () => {
    const { page } = await open({ storageState: await walletState(purse, 7) });
    await installWallet(page, purse, 7);
    await page.goto(`${purse.url}/send`);
    await page.getByText(/Balance: [\d,]+/).waitFor();
    await page.getByLabel("Recipient").fill("0x12");
    await page.getByLabel(/^Amount \(/).fill("999999999");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("Invalid address").waitFor();
    await page
      .getByRole("alert")
      .getByText(/Insufficient balance/)
      .waitFor();
    await page.getByLabel("Recipient").fill("0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266");
    await page.getByText("Invalid checksum").waitFor();
  });
});

describe("live data", () => {
  it("appears in one browser when it is saved in another", async () => {
    const openAs = async (username: string) => {
      const visitor = await open({ storageState: await passwordState(purse, username) });
      await visitor.page.goto(`${purse.url}/data`);
      return visitor;
    };
    const writer = await openAs("writer");
    const reader = await openAs("reader");
    await reader.page.getByText("No records yet").waitFor();
    await writer.page.getByRole("button", { name: "New record" }).click();
    await writer.page.getByLabel("text", { exact: true }).fill("First light");
    await writer.page.getByRole("button", { name: "Create" }).click();
    await reader.page.getByRole("button", { name: "First light", exact: true }).waitFor();
    await writer.page.getByRole("checkbox", { name: "done: First light" }).click();
    await reader.page.getByRole("checkbox", { checked: true }).waitFor();
    await writer.page.getByRole("button", { name: "Delete First light" }).click();
    await reader.page.getByText("No records yet").waitFor();
    expectNoErrors(writer);
    expectNoErrors(reader);
  });
});
