import { createPublicClient, erc20Abi, http, parseEther } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { expectNoErrors } from "../support/browser.ts";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { devAccount } from "../support/devAccount.ts";
import { tooWideElements } from "../support/pseudoLocale.ts";
import { serveWebApp } from "../support/webApp.ts";

const app = serveWebApp();
let hand: ChainClient;
beforeAll(async () => {
  hand = await createChainClient(app.purse);
});

const node = () => createPublicClient({ transport: http(app.purse.rpcUrl), cacheTime: 0 });

describe("sending", () => {
  it("sends a token after a simulation, tracks it until it is final, and shows it in another tab", {
    tags: ["1.capability.transfer-token"],
  }, async () => {
    const visitor = await app.openWithWallet(1, { viewport: { width: 360, height: 720 } });
    const { page } = visitor;
    const to = devAccount(8).address;
    const balanceOf = () =>
      node().readContract({ abi: erc20Abi, address: hand.token, functionName: "balanceOf", args: [to] });
    const before = await balanceOf();
    await page.goto(`${app.purse.url}/send?asset=${hand.token}`);
    await page.getByLabel("Recipient").fill("0x12");
    await page.getByLabel("Amount (PURSE)").fill("1.0000000000000000001");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("up to 18 decimals").waitFor();
    await page.getByText("Invalid address").waitFor();
    await page.getByLabel("Recipient").fill(to);
    await page.getByLabel("Amount (PURSE)").fill("2,5");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("−2.5 PURSE").waitFor();
    expect(await tooWideElements(page)).toEqual([]);
    await expectAccessible(page);
    // The toast disappears after some seconds.
    await Promise.all([
      page.getByText("Send 2.5 PURSE: confirmed").waitFor(),
      page.getByRole("heading", { name: "Sent" }).waitFor(),
      page.getByRole("button", { name: "Send PURSE" }).click(),
    ]);
    expect((await balanceOf()) - before).toBe(parseEther("2.5"));
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.getByText("Send 2.5 PURSE", { exact: true }).waitFor();
    await hand.mine(12);
    await page.getByText(/Finalized \(\d+ confirmations\)/).waitFor();
    expectNoErrors(visitor);
  });
});
