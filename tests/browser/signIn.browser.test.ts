import { createPublicClient, formatEther, http } from "viem";
import { describe, expect, it } from "vitest";
import { expectNoErrors, installWallet, signUpInPage } from "../support/browser.ts";
import { devAccount } from "../support/devAccount.ts";
import { grouped } from "../support/grouped.ts";
import { PASSWORD } from "../support/signedIn.ts";
import { serveWebApp } from "../support/webApp.ts";

const app = serveWebApp();

describe("signing in", () => {
  it("by a wallet can be declined and tried again, shows the wallet's balance and tokens, and lasts after a reload", {
    tags: [
      "0.title.wrapped-app",
      "0.browser-app",
      "1.capability.connect-wallet",
      "1.capability.sign-in-by-message",
      "1.capability.query-balances",
      "4.auth.load.stored-user",
    ],
  }, async () => {
    const visitor = await app.open();
    const { page } = visitor;
    const wallet = await installWallet(page, app.purse, 1);
    await page.goto(`${app.purse.url}/sign-in`);
    wallet.declineNext();
    await page.getByRole("button", { name: "Test Wallet" }).click();
    await page.getByText("Request rejected in wallet").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Sign in with this wallet" }).click();
    await page.waitForURL("**/portfolio");
    const tokens = page.getByRole("region", { name: "Tokens" });
    const node = createPublicClient({ transport: http(app.purse.rpcUrl) });
    const balance = await node.getBalance({ address: devAccount(1).address });
    await tokens.getByTitle(`${grouped(formatEther(balance))} ETH`).waitFor();
    await tokens.getByText("Purse Token").waitFor();
    await page.goto(`${app.purse.url}/send`);
    await page.getByRole("button", { name: "Account menu" }).waitFor();
    await page.getByLabel("Recipient").waitFor();
    expectNoErrors(visitor);
  });

  it("by a password signs up, out, and in again", { tags: ["1.provider.authentication"] }, async () => {
    const visitor = await app.open();
    const { page } = visitor;
    await signUpInPage(page, app.purse, "grace", "/account");
    expect(await page.getByLabel("Username").inputValue()).toBe("grace");
    await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are not signed in").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("tab", { name: "Password" }).click();
    await page.getByLabel("Username").fill("grace");
    await page.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.waitForURL("**/account");
    expectNoErrors(visitor);
  });
});
