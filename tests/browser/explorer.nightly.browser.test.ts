import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  formatUnits,
  type Hex,
  http,
  parseAbi,
  parseUnits,
} from "viem";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectNoErrors, type Visit, visitUncached } from "../support/browser.ts";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { devAccount } from "../support/devAccount.ts";
import { grouped } from "../support/grouped.ts";
import { minedReceipt } from "../support/minedReceipt.ts";
import { follow } from "../support/navigation.ts";
import { serveWebApp } from "../support/webApp.ts";

const NAMED = devAccount(1).address.toLowerCase();
/** A swap of the local chain's history, by a router of an exchange. */
const SWAP = "0x2cabeba560b040e4be8614b3f16cd5798d4c2ced1146c655243c022920d85d09";
const WETH = "0x88485acaeffe61b62ab284503b1f5673a1b0d937";
const PURSE_TOKEN = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const PIECES = "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512";

const app = serveWebApp();
let hand: ChainClient;
/** The page of the tests, which is closed when one of them fails. */
let visitor: Visit | undefined;

beforeAll(async () => {
  hand = await createChainClient(app.purse);
});
// A failed test leaves the page in any state.
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await closePage();
});

async function closePage(): Promise<void> {
  const closing = visitor;
  visitor = undefined;
  await closing?.close();
}

/** Opens a page of the app, which the tests load once. */
async function open(path: string): Promise<Visit> {
  if (visitor) {
    // A page without requests of its own: the next one is drawn anew, also if the last one was the same.
    await follow(visitor.page, "/design");
    await follow(visitor.page, path);
    return visitor;
  }
  visitor = await visitUncached(app.browser);
  visitor.page.setDefaultTimeout(30_000);
  await visitor.page.clock.install();
  await visitor.page.goto(app.purse.url + path);
  return visitor;
}

/** How often pages ask for the latest block: see useServerStatus.ts. */
const HEAD_INTERVAL_MS = 4_000;

/** Waits for what a page shows once it has asked for the latest block, which its clock makes it do at once. */
async function appearsWithBlock(element: Locator): Promise<void> {
  const isShown = async () => {
    await element.page().clock.fastForward(HEAD_INTERVAL_MS);
    return element.isVisible();
  };
  await expect.poll(isShown, { interval: 250, timeout: 30_000 }).toBe(true);
}

const headingOf = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const node = () => createPublicClient({ transport: http(app.purse.rpcUrl) });

/** Returns the lines of the CSV file that the page exports. */
async function downloaded(page: Page): Promise<string[]> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  return readFileSync(await (await download).path(), "utf8")
    .trim()
    .split("\r\n");
}

const searchBox = (page: Page) => page.getByRole("combobox", { name: /^Search by block/ });

async function search({ page }: Visit, words: string): Promise<void> {
  await searchBox(page).fill(words);
  await page.getByRole("button", { name: "Search", exact: true }).click();
}

/** Sends a transfer that exceeds the balance. */
async function sendWhatReverts(): Promise<Hex> {
  const wallet = createWalletClient({ account: devAccount(8), transport: http(app.purse.rpcUrl) });
  const hash = await wallet.sendTransaction({
    chain: null,
    to: PURSE_TOKEN,
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: "transfer",
      args: [devAccount(9).address, parseUnits("900000000", 18)],
    }),
    gas: 100_000n,
  });
  await minedReceipt(node(), hash);
  return hash;
}

describe("the search box", () => {
  it("distinguishes the hash of a block from that of a transaction", async () => {
    const { hash } = await node().getBlock({ blockNumber: 12n });
    const visitor = await open("/explorer");
    await search(visitor, hash);
    await visitor.page.getByRole("heading", { level: 1, name: "Block 12" }).waitFor();
  });

  it("shows errors next to the box and keeps the input", async () => {
    const visitor = await open("/explorer");
    const { page } = visitor;
    await search(visitor, "0x1234");
    await page.getByRole("alert").getByText("Not a valid address").waitFor();
    await search(visitor, "NOSUCHTOKEN");
    await page.getByText('Nothing found for "NOSUCHTOKEN".').waitFor();
    expect(await searchBox(page).inputValue()).toBe("NOSUCHTOKEN");
    await search(visitor, "nobody.eth");
    await page.getByText("nobody.eth does not resolve to an address.").waitFor();
    expectNoErrors(visitor);
  });

  it("is available on every page in the command palette", async () => {
    const { page } = await open("/");
    await page.getByRole("button", { name: /Search or jump to/ }).click();
    for (const [words, option] of [
      [SWAP, "Transaction 0x2cabeba5…5d09"],
      [NAMED, "Address 0x7099…79c8"],
      ["alice.eth", "Name alice.eth"],
      ["42", "Block 42"],
    ] as const) {
      await page.getByRole("dialog").getByRole("combobox").fill(words);
      await page.getByRole("option", { name: option }).waitFor();
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Block 42" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("alice.eth");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "alice.eth" }).waitFor();
  });
});

describe("the explorer's home page", () => {
  it("shows new blocks live", async () => {
    const visitor = await open("/explorer");
    const { page } = visitor;
    const blocks = page.getByRole("table", { name: "Latest blocks" });
    await blocks.getByRole("link", { name: String(await node().getBlockNumber()), exact: true }).waitFor();
    await hand.mine(1);
    await blocks.getByRole("link", { name: String(await node().getBlockNumber()), exact: true }).waitFor();
    expectNoErrors(visitor);
  });

  it("finds the block at a date, which is kept in the URL", async () => {
    const { page } = await open("/explorer");
    await page.getByLabel(/Local date and time/).fill("2025-01-10T00:00:00");
    await page.getByRole("button", { name: "Find block" }).click();
    await page.getByText("Nearest block:").waitFor();
    await page.reload();
    await page.getByText("Nearest block:").waitFor();
  });
});

describe("a block", () => {
  it("links to the previous and next block, also by keyboard", async () => {
    const { page } = await open("/explorer/block/59");
    await page
      .getByRole("table", { name: "Transactions" })
      .getByText("swapExactETHForTokens")
      .first()
      .waitFor();
    expect((await downloaded(page))[0]).toBe("hash,block,time,method,from,to,value_wei,fee_wei,status");
    await page.keyboard.press("j");
    await page.getByRole("heading", { level: 1, name: "Block 58" }).waitFor();
    await page.keyboard.press("k");
    await page.getByRole("heading", { level: 1, name: "Block 59" }).waitFor();
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByRole("heading", { level: 1, name: "Block 60" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Block 59" }).waitFor();
  });

  it("lists NFT transfers", async () => {
    const hash = await hand.transferItem(0, devAccount(7).address, await hand.ownedItemId(0), 1n);
    const { blockNumber } = await node().getTransactionReceipt({ hash });
    const visitor = await open(`/explorer/block/${blockNumber}`);
    const { page } = visitor;
    await page.getByRole("tab", { name: "NFT transfers" }).click();
    const table = page.getByRole("table", { name: "NFT transfers" });
    await table.locator(`[data-address="${devAccount(7).address.toLowerCase()}"]`).waitFor();
    expect(await downloaded(page)).toHaveLength(2);
    await page.reload();
    await table.waitFor();
    await open("/explorer/block/1?tab=nft-transfers");
    await page.getByText("No NFTs were transferred in this block.").waitFor();
    expectNoErrors(visitor);
  });

  it("appears when it is mined", async () => {
    const next = (await node().getBlockNumber()) + 1n;
    const { page } = await open(`/explorer/block/${next}`);
    await page.getByText("Block not mined yet").waitFor();
    await hand.mine(1);
    await appearsWithBlock(page.getByRole("region", { name: "Block" }));
  });

  it("is shown as orphaned or unknown instead of an error 404", async () => {
    await hand.mine(3);
    const { hash } = await node().getBlock();
    const visitor = await open(`/explorer/block/${hash}`);
    await visitor.page.getByRole("region", { name: "Block" }).waitFor();
    await hand.reorganize(2);
    await hand.mine(1);
    await appearsWithBlock(visitor.page.getByText(/orphaned/i).first());
    expectNoErrors(visitor);
  });

  it("leads from a block to its transaction, with its calls and logs, and to an address, whose history it exports", async () => {
    const visitor = await app.open();
    const { page } = visitor;
    await page.goto(`${app.purse.url}/explorer/block/58`);
    await headingOf(page, "Block 58").waitFor();
    // Whether there is a next block is known with the head of the chain.
    await page.getByRole("link", { name: "Next" }).waitFor();
    await page.keyboard.press("k");
    await headingOf(page, "Block 59").waitFor();
    await page.getByRole("link", { name: "Next" }).click();
    await headingOf(page, "Block 60").waitFor();
    await page.goBack();
    const transactions = page.getByRole("table", { name: "Transactions" });
    const swap = transactions.getByRole("row").filter({ hasText: "swapExactETHForTokens" }).first();
    await swap.getByRole("link").first().click();

    await headingOf(page, "Transaction").waitFor();
    await page.getByText("Success").waitFor();
    await page.getByText(/swapExactETHForTokens\(uint256 amountOutMin/).waitFor();
    const flows = page.getByRole("region", { name: "Token transfers" });
    await flows.getByRole("link", { name: "PURSE" }).first().waitFor();
    await page.getByRole("tab", { name: "6 logs" }).click();
    await page.getByText("Swap", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Internal calls" }).click();
    await page.getByRole("table", { name: "Internal calls" }).getByText("STATICCALL").first().waitFor();

    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByRole("region", { name: "Transaction" }).locator("[data-address]").first().click();
    await page.waitForURL(/\/explorer\/address\//);
    await transactions.waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const [columns, ...rows] = readFileSync(await (await download).path(), "utf8")
      .trim()
      .split("\r\n");
    expect(columns).toBe("hash,block,time,method,from,to,value_wei,fee_wei,status");
    expect(rows.length).toBeGreaterThan(0);
    expectNoErrors(visitor);
  });
});

describe("a transaction", () => {
  it("shows the called function and the token transfers, and highlights an address in all places while it is hovered over", async () => {
    const visitor = await open(`/explorer/tx/${SWAP}`);
    const { page } = visitor;
    await page.getByText("Success").waitFor();
    await page.getByText(/swapExactETHForTokens\(uint256 amountOutMin/).waitFor();
    const flows = page.getByRole("region", { name: "Token transfers" });
    await flows.getByRole("link", { name: "PURSE" }).first().waitFor();
    await page.getByRole("region", { name: "Transaction" }).locator("[data-address]").first().hover();
    await expect.poll(() => page.locator("[data-same]").count()).toBeGreaterThan(1);
    expect(await flows.getByText("WETH").count()).toBeGreaterThan(1);
    await flows
      .getByTitle(/^197\.4\d{10,} ?$/)
      .first()
      .waitFor();
    await page.getByRole("switch", { name: "Raw" }).click();
    await page.getByText(/^0x7ff36ab5/).waitFor();
    await page.getByRole("link", { name: "Next nonce" }).click();
    await page.waitForURL(/\/explorer\/tx\/(?!0x2cabeba5)/);
    expectNoErrors(visitor);
  });

  it("shows decoded and raw logs and internal calls, each with a URL", async () => {
    const { page } = await open(`/explorer/tx/${SWAP}`);
    await page.getByRole("tab", { name: "6 logs" }).click();
    await page.getByText("Swap", { exact: true }).waitFor();
    await page.getByRole("switch", { name: "Show raw data" }).click();
    await page.getByText("0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822").waitFor();
    await page.getByRole("tab", { name: "Internal calls" }).click();
    await page.getByRole("table", { name: "Internal calls" }).getByText("STATICCALL").first().waitFor();
    await page.reload();
    await page.getByRole("table", { name: "Internal calls" }).getByText("deposit").waitFor();
    await page.getByRole("table", { name: "Internal calls" }).getByText("balanceOf").first().waitFor();
    const rows = page.getByRole("table", { name: "Internal calls" }).getByRole("row");
    const all = await rows.count();
    await page.getByRole("button", { name: "Hide inner calls" }).last().click();
    expect(await rows.count()).toBeLessThan(all);
    await page.getByRole("button", { name: "Show inner calls" }).click();
    expect(await rows.count()).toBe(all);
  });

  it("is decoded with an ABI that was pasted for its contract", async () => {
    const abi = ["function stir(bool clockwise, uint8 times)"];
    const to = devAccount(7).address;
    const wallet = createWalletClient({ account: devAccount(8), transport: http(app.purse.rpcUrl) });
    const data = encodeFunctionData({ abi: parseAbi(abi), args: [true, 3] });
    const hash = await wallet.sendTransaction({ chain: null, to, data });
    await minedReceipt(node(), hash);
    const visitor = await open(`/explorer/tx/${hash}`);
    const { page } = visitor;
    await page.getByRole("link", { name: "Paste contract ABI" }).waitFor();
    await page.evaluate(([key, text]) => localStorage.setItem(key, text), [
      `purse.abi/0x539/${to.toLowerCase()}`,
      abi.join("\n"),
    ] as const);
    await page.reload();
    await page.getByText("stir(bool clockwise, uint8 times)").waitFor();
    expectNoErrors(visitor);
  });

  it("shows its revert reason", async () => {
    const { page } = await open(`/explorer/tx/${await sendWhatReverts()}`);
    await page.getByText("Reverted", { exact: true }).waitFor();
    await page.getByText(/ERC20InsufficientBalance\(0x23618e81/i).waitFor();
    await appearsWithBlock(page.getByText("Latest"));
  });

  it("is shown as orphaned after a reorganization", async () => {
    const hash = await hand.transferToken(3, devAccount(4).address, 1n);
    const { page } = await open(`/explorer/tx/${hash}`);
    await page.getByText("Success").waitFor();
    await hand.reorganize(1);
    await hand.mine(1);
    await appearsWithBlock(page.getByText("This transaction is orphaned"));
    await page.reload();
    await page.getByText("This transaction is orphaned").waitFor();
  });

  it("is shown as not found or invalid for other hashes", async () => {
    const visitor = await open(`/explorer/tx/0x${"12".repeat(32)}`);
    await visitor.page.getByText("Transaction not found").waitFor();
    await open("/explorer/tx/0x12");
    await visitor.page.getByText("Invalid transaction hash").waitFor();
    expectNoErrors(visitor);
  });
});

describe("an address", () => {
  it("shows balances and history, and exports them as CSV", async () => {
    const address = devAccount(0).address.toLowerCase();
    const visitor = await open(`/explorer/address/${address}`);
    const { page } = visitor;
    await page.getByText("Wallet", { exact: true }).waitFor();
    await page.getByRole("table", { name: "Transactions" }).waitFor();
    await page.getByRole("region", { name: "Address" }).getByText("First transaction").waitFor();
    const lines = await downloaded(page);
    expect(lines[0]).toBe("hash,block,time,method,from,to,value_wei,fee_wei,status");
    expect(lines.length).toBeGreaterThan(40);
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("link", { name: "Newest" }).waitFor();
    await page.getByRole("tab", { name: "Token transfers" }).click();
    await page.getByRole("table", { name: "Token transfers" }).getByText("PURSE").first().waitFor();
    await page.getByRole("tab", { name: "NFTs" }).click();
    await page.getByText("Purse Item #1").waitFor();
    await page.getByRole("tab", { name: "Internal transactions" }).click();
    await page.getByText("Internal transactions unavailable").waitFor();
    expectNoErrors(visitor);
  });

  it("is labeled in every list with its name, its token, or as the user's wallet", async () => {
    const { page } = await open(`/explorer/address/${devAccount(0).address.toLowerCase()}?tab=transfers`);
    const table = page.getByRole("table", { name: "Token transfers" });
    await table.getByText("alice.eth").first().waitFor();
    await open(`/explorer/address/${NAMED}`);
    await page.getByRole("table", { name: "Transactions" }).getByText("Token PURSE").first().waitFor();
  });

  it("is shown as a contract with a link to its token", async () => {
    const { page } = await open(`/explorer/address/${PURSE_TOKEN}`);
    await page.getByRole("main").getByText("Contract", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Token", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Purse Token" }).waitFor();
  });
});

describe("tokens, NFTs and pairs", () => {
  it("a token page shows the supply, creator, price, chart, and holders with the balances of the contract", async () => {
    const visitor = await open(`/explorer/token/${PURSE_TOKEN}`);
    const { page } = visitor;
    const token = { address: PURSE_TOKEN, abi: erc20Abi } as const;
    const supply = await node().readContract({ ...token, functionName: "totalSupply" });
    const details = page.getByRole("region", { name: "Token", exact: true });
    await details.locator(`[title="${grouped(formatUnits(supply, 18))}"]`).waitFor();
    await details.getByText("Created by").waitFor();
    await page.getByText("on Uniswap v2").waitFor();
    await page.getByRole("tab", { name: "Holders" }).click();
    await page.getByRole("table", { name: "Holders" }).getByText("%").first().waitFor();
    const holder = devAccount(2).address;
    const balance = await node().readContract({ ...token, functionName: "balanceOf", args: [holder] });
    const row = page
      .getByRole("row")
      .filter({ has: page.locator(`[data-address="${holder.toLowerCase()}"]`) });
    const shown = await row.locator(".number [title]").first().getAttribute("title");
    expect(shown).toBe(`${grouped(formatUnits(balance, 18))} PURSE`);
    expect((await downloaded(page)).length).toBeGreaterThan(3);
    await page.getByRole("tab", { name: "Price history" }).click();
    // The chain's history and the blocks of the tests are separated by a long gap.
    await page.getByRole("link", { name: "All", exact: true }).click();
    await page.getByRole("slider", { name: /Price/ }).waitFor();
    await page.getByRole("link", { name: "Week" }).click();
    await page.waitForURL(/range=week/);
    await page.getByLabel("Trading pair").fill("0x12");
    await page.getByRole("button", { name: "View pair" }).click();
    await page.getByText("Expected 0x followed by 40 hex characters.").waitFor();
    await page.getByLabel("Trading pair").fill(WETH);
    await page.getByRole("button", { name: "View pair" }).click();
    await page.getByRole("heading", { level: 1, name: "PURSE / WETH" }).waitFor();
    expectNoErrors(visitor);
  });

  it("a collection page shows the number of items and the rarity of traits", async () => {
    const owned = await fetch(`${app.purse.url}/api/v2/${devAccount(5).address}/nft`).then((each) =>
      each.json(),
    );
    const gallery = owned.result.find(({ symbol }: { symbol: string }) => symbol === "GALLERY").token_address;
    const wallet = createWalletClient({ account: devAccount(0), transport: http(app.purse.rpcUrl) });
    for (const [id, fur] of [
      [201n, "Gold"],
      [202n, "Gray"],
      [203n, "Gray"],
      [204n, "Gray"],
    ] as const) {
      const metadata = { name: `Cat ${id}`, attributes: [{ trait_type: "Fur", value: fur }] };
      const hash = await wallet.writeContract({
        chain: null,
        address: gallery,
        abi: parseAbi(["function mint(address to, uint256 id, string uri)"]),
        functionName: "mint",
        args: [devAccount(0).address, id, `data:application/json,${JSON.stringify(metadata)}`],
      });
      await minedReceipt(node(), hash);
      await expect
        .poll(() => fetch(`${app.purse.url}/api/v2/nft/${gallery}/${id}`).then((each) => each.text()))
        .toContain("Fur");
    }
    const visitor = await open(`/explorer/nft/${gallery}`);
    const { page } = visitor;
    const details = page.getByRole("region", { name: "Collection", exact: true });
    await details.getByText("Owners", { exact: true }).waitFor();
    await details.getByText("Volume (30 days)").waitFor();
    await page.getByRole("tab", { name: "Traits" }).click();
    const fur = page.getByRole("table", { name: "Fur" });
    await fur.getByRole("row", { name: /^Gold 1 / }).waitFor();
    await fur.getByRole("row", { name: /^Gray 3 / }).waitFor();
    expectNoErrors(visitor);
    await follow(page, `/explorer/nft/${gallery}/201`);
    await page
      .getByRole("list", { name: "Attributes" })
      .getByText(/% have this/)
      .waitFor();
    await page.getByText("Rarity score").waitFor();
    await page.getByText(/^1 of \d+$/).waitFor();
    expectNoErrors(visitor);
  });

  it("a collection page links to NFTs, whose metadata can be refreshed", async () => {
    const visitor = await open(`/explorer/nft/${PIECES}`);
    const { page } = visitor;
    await page.getByText("Purse Piece #1", { exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Purse Piece #1" }).waitFor();
    await page.getByRole("img", { name: "Purse Piece #1" }).waitFor();
    await page.getByRole("button", { name: "Refresh metadata" }).click();
    await page.getByText("Metadata refreshed").waitFor();
    await page.getByRole("tab", { name: "Transfers" }).click();
    await page.getByRole("table", { name: "NFT transfers" }).waitFor();
    expect((await downloaded(page))[0]).toBe("hash,block,time,collection,token_id,from,to,amount");
    await page.getByRole("tab", { name: "Metadata" }).click();
    await page.getByText(/"name": "Purse Piece #1"/).waitFor();
    expectNoErrors(visitor);
  });

  it("a pair page shows the pair in both directions", async () => {
    const visitor = await open(`/explorer/pair/${PURSE_TOKEN}/${WETH}?range=all`);
    const { page } = visitor;
    await page.getByRole("heading", { level: 1, name: "PURSE / WETH" }).waitFor();
    await page.getByRole("slider", { name: /Price/ }).waitFor();
    await page.getByRole("link", { name: "Invert" }).click();
    await page.getByRole("heading", { level: 1, name: "WETH / PURSE" }).waitFor();
    await page.getByLabel("Exchange").fill("nowhere");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("alert").waitFor();
    // The exchange can be corrected.
    await page.getByLabel("Exchange").fill("uniswapv2");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("heading", { level: 1, name: "WETH / PURSE" }).waitFor();
    expectNoErrors(visitor);
  });
});
