import type { Page } from "playwright-core";
import { createPublicClient, http } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { expectNoErrors } from "../support/browser.ts";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { devAccount } from "../support/devAccount.ts";
import { serveWebApp } from "../support/webApp.ts";

const NAMED = devAccount(1).address.toLowerCase();
/** A swap of the local chain's history, by a router of an exchange. */
const SWAP = "0x2cabeba560b040e4be8614b3f16cd5798d4c2ced1146c655243c022920d85d09";
const PURSE_TOKEN = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

const app = serveWebApp();
let hand: ChainClient;
beforeAll(async () => {
  hand = await createChainClient(app.purse);
});

const headingOf = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });

describe("the explorer", () => {
  it("shows a block when it is mined, and finds blocks, transactions, addresses, names, tokens and collections", async () => {
    const visitor = await app.open();
    const { page } = visitor;
    const node = createPublicClient({ transport: http(app.purse.rpcUrl), cacheTime: 0 });
    const numberShown = async () =>
      page
        .getByRole("table", { name: "Latest blocks" })
        .getByRole("link", { name: String(await node.getBlockNumber()), exact: true })
        .waitFor();
    await page.goto(`${app.purse.url}/explorer`);
    await numberShown();
    await hand.mine(1);
    await numberShown();
    const searchBox = page.getByRole("combobox", { name: /^Search by block/ });
    for (const [words, heading, path] of [
      ["59", "Block 59", "/explorer/block/59"],
      [SWAP, "Transaction", `/explorer/tx/${SWAP}`],
      [NAMED, "alice.eth", `/explorer/address/${NAMED}`],
      ["bob.eth", "bob.eth", `/explorer/address/${devAccount(2).address.toLowerCase()}`],
      ["Purse Tok", "Purse Token PURSE", `/explorer/token/${PURSE_TOKEN}`],
      ["2025-01-15", /^Block \d+$/, "/explorer/block/"],
      ["purse pie", /^Purse Pieces/, "/explorer/nft/"],
    ] as const) {
      await searchBox.fill(words);
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await page.waitForURL(({ pathname }) => pathname.startsWith(path));
      await headingOf(page, heading).waitFor();
      // The box is cleared once the page is shown.
      await expect.poll(() => searchBox.inputValue()).toBe("");
    }
    expectNoErrors(visitor);
  });
});
