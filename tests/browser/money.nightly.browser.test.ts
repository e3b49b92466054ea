import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type DevChain, startDevChain } from "@purse/devchain";
import type { Page } from "playwright-core";
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  erc20Abi,
  erc721Abi,
  formatEther,
  getAddress,
  http,
  parseEther,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { casesOf } from "../support/allCases.ts";
import { expectNoErrors, installWallet } from "../support/browser.ts";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { devAccount } from "../support/devAccount.ts";
import { rest, restoreChainSnapshot } from "../support/purse.ts";
import { walletState } from "../support/signedIn.ts";
import { hostSite } from "../support/site.ts";
import { makeSmart } from "../support/smartWallet.ts";
import { serveAppBy } from "../support/webApp.ts";

const WETH = "0x88485acaeffe61b62ab284503b1f5673a1b0d937";
const DEX_PLUGIN = resolve(import.meta.dirname, "../../plugins/dex/dex.ts");

/** A second chain, which is configured with a node only. */
let second: DevChain;
let secondDir: string;
const SECOND = "0x7a6a";
let hand: ChainClient;

const app = serveAppBy(async () => {
  secondDir = await mkdtemp(join(tmpdir(), "purse-second-"));
  const dataDir = join(secondDir, "chain");
  restoreChainSnapshot(dataDir);
  second = await startDevChain({ port: 0, dataDir, chainId: Number(SECOND) });
  const config = join(secondDir, "purse.config.ts");
  await writeFile(config, `export default { plugins: [${JSON.stringify(DEX_PLUGIN)}] };`);
  const env = {
    PURSE_CONFIG: config,
    PURSE_CHAIN_SECOND_RPC_URL: second.url,
    PURSE_CHAIN_SECOND_ID: String(Number(SECOND)),
    // It has new blocks only with transactions.
    PURSE_CHAIN_SECOND_STALLED_SECONDS: "0",
  };
  return hostSite({ devChain: true, env });
});
beforeAll(async () => {
  hand = await createChainClient(app.purse);
});
afterAll(async () => {
  // It would save all its past states first, which takes seconds.
  if (second) process.kill(-second.pid, "SIGKILL");
  await second?.stop();
  await rm(secondDir, { recursive: true, force: true });
});

const PHONE = { viewport: { width: 360, height: 720 } };
const DESKTOP = { width: 1280, height: 800 };
const node = () => createPublicClient({ transport: http(app.purse.rpcUrl), cacheTime: 0 });

/** Opens a page of a user who has signed in with the wallet of a development account. */
async function visitAs(index: number, options = {}) {
  const visitor = await app.open({ ...options, storageState: await walletState(app.purse, index) });
  const wallet = await installWallet(visitor.page, app.purse, index, undefined, undefined, {
    [SECOND]: second.url,
  });
  return { ...visitor, wallet };
}

const open = (page: Page, path: string, search: Record<string, string> = {}) =>
  page.goto(`${app.purse.url}${path}?${new URLSearchParams(search)}`);

async function expectFits(page: Page): Promise<void> {
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(0);
}

describe("the portfolio", () => {
  it("shows balances and their value, NFTs, the history and the value over time", {
    tags: ["1.capability.query-prices", "1.capability.query-nfts"],
  }, async () => {
    const { page, errors, ...rest } = await visitAs(0);
    await open(page, "/portfolio", { chain: "0x539" });
    const total = page.getByRole("region", { name: "Total value" });
    await total.getByText(/^\$[\d,]+\.\d\d$/).waitFor();
    await page.getByRole("region", { name: "Tokens" }).getByText("Purse Token").waitFor();
    await page.getByRole("slider", { name: "Value on Local chain" }).waitFor();
    await page.getByRole("button", { name: /Purse Piece #1/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Refresh metadata" }).click();
    await page.getByText("Metadata refreshed").waitFor();
    await page.keyboard.press("Escape");
    // Images are resized and served by this server, so that other hosts are not contacted.
    const picture = page.locator("img.nft-picture").first();
    expect(await picture.getAttribute("src")).toMatch(/^\/api\/v2\/nft\/0x\w+\/\d+\/image\?/);
    await expect
      .poll(() => picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth))
      .toBeGreaterThan(0);
    const box = await picture.boundingBox();
    expect(box?.height).toBeCloseTo(box?.width ?? 0, 0);
    const history = page.getByRole("region", { name: "History" });
    await history.getByText("Contract interaction").first().waitFor();
    await history
      .locator(".method", { hasText: /^[a-z]\w+$/ })
      .first()
      .waitFor();
    await expectAccessible(page);
    expectNoErrors({ page, errors, ...rest });
  });

  it("hides spam: zero-value transfers and dust", async () => {
    const { page } = await visitAs(6);
    const receiver = devAccount(6).address;
    await hand.transferTokens([0n, 1n, parseEther("3")].map((units) => [1, receiver, units]));
    await open(page, "/portfolio", { chain: "0x539" });
    const history = page.getByRole("region", { name: "History" });
    await history.getByText("+3 PURSE").waitFor();
    await history.getByText(/dust or zero-value transfers? hidden/).waitFor();
    await expect.poll(() => history.getByText("+0.000000000000000001 PURSE").count()).toBe(0);
    await history.getByRole("switch", { name: "Show dust and zero-value transfers" }).click();
    await history.getByText("+0.000000000000000001 PURSE").first().waitFor();
    await history.getByText("+0 PURSE").first().waitFor();
  });

  it("shows the change of the value and the effects of transactions", async () => {
    const visitor = await visitAs(4);
    const { page } = visitor;
    await hand.transferNft(1, devAccount(4).address, await hand.ownedNftId(1));
    await open(page, "/portfolio", { chain: "0x539" });
    const total = page.getByRole("region", { name: "Total value" });
    await total.getByText(/^[+−]?\$[\d,.]+ \([+−]?[\d,.]+%\) by price changes in 24 hours$/).waitFor();
    const history = page.getByRole("region", { name: "History" });
    await history.getByText("Received from").first().waitFor();
    await history
      .getByText(/^\+Purse Pieces #\d+$/)
      .first()
      .waitFor();
    await expectAccessible(page);
    expectNoErrors(visitor);
  });

  it("lists approvals and revokes one on a phone and a desktop in dark mode", async () => {
    const visitor = await visitAs(5, { ...PHONE, colorScheme: "dark" });
    const { page } = visitor;
    /** On this screen, and on both with `npm run test:all`. */
    const expectGoodOn = async (screen: typeof DESKTOP) => {
      for (const viewport of casesOf([PHONE.viewport, DESKTOP], (each) => each === screen)) {
        await page.setViewportSize(viewport);
        await expectFits(page);
        await expectAccessible(page);
      }
    };
    const spender = devAccount(3).address;
    await hand.approveToken(5, spender, parseEther("12"));
    const allowance = () =>
      node().readContract({
        address: hand.token,
        abi: erc20Abi,
        functionName: "allowance",
        args: [devAccount(5).address, spender],
      });
    expect(await allowance()).toBe(parseEther("12"));
    await open(page, "/portfolio", { chain: "0x539" });
    const approvals = page.getByRole("region", { name: "Approvals" });
    await approvals.getByText("12 PURSE").waitFor();
    await approvals.getByText(/^\$[\d,.]+ at risk$/).waitFor();
    await expectGoodOn(PHONE.viewport);
    await approvals.getByRole("link", { name: `Revoke PURSE for ${spender.toLowerCase()}` }).click();
    await page.getByRole("heading", { name: "Revoke approval" }).waitFor();
    await page.getByText("No balance changes except the fee.").waitFor();
    await expectGoodOn(DESKTOP);
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByText("Revoke approval of PURSE").waitFor();
    await expect.poll(allowance, { timeout: 20_000 }).toBe(0n);
    const path = `/api/v2/wallets/${devAccount(5).address}/history?chain=0x539&limit=1`;
    const latest = async () => (await (await fetch(app.purse.url + path)).json()).result[0].category;
    await expect.poll(latest, { timeout: 20_000 }).toBe("revoke");
    await open(page, "/portfolio", { chain: "0x539" });
    await approvals.getByRole("heading", { name: "Approvals", exact: true }).waitFor();
    await approvals.getByLabel("Loading approvals").waitFor({ state: "detached" });
    expect(await approvals.getByText("12 PURSE").count()).toBe(0);
    await page.getByRole("region", { name: "History" }).getByText("Approval revoked").first().waitFor();
    expectNoErrors(visitor);
  });

  it("sums several chains and shows what has no price", async () => {
    const visitor = await visitAs(1);
    const { page } = visitor;
    await open(page, "/portfolio");
    const tokens = page.getByRole("region", { name: "Tokens" });
    await tokens
      .getByText(/^Local chain · /)
      .first()
      .waitFor();
    await tokens
      .getByText(/^second · No price/)
      .first()
      .waitFor();
    const total = page.getByRole("region", { name: "Total value" });
    await total.getByText(/Prices missing for \d+ assets/).waitFor();
    await page.getByRole("navigation", { name: "Chains" }).getByRole("link", { name: "second" }).click();
    await page.waitForURL(/chain=0x7a6a/);
    await total.getByText("Prices unavailable").waitFor();
    await tokens.getByText("Ether").first().waitFor();
    await expectAccessible(page);
    expectNoErrors(visitor);
  });

  it("shows any address, keeps its filters in the URL, and fits a phone", async () => {
    const visitor = await visitAs(1, PHONE);
    const { page } = visitor;
    const other = devAccount(3).address;
    await open(page, "/portfolio", { address: other });
    await page.getByRole("switch", { name: "Hide dust" }).click();
    await page.waitForURL(/dust=hidden/);
    await page.getByRole("link", { name: "Local chain" }).click();
    await page.waitForURL(/chain=0x539/);
    await page.locator('.chip[aria-current="page"]', { hasText: "Local chain" }).waitFor();
    await page.getByRole("region", { name: "Tokens" }).getByText("Ether").waitFor();
    expect(await page.getByRole("main").getByRole("link", { name: "Send" }).count()).toBe(0);
    await expectFits(page);
    await expectAccessible(page);
    await open(page, "/portfolio", { address: "0x12" });
    await page.getByText("Invalid address").waitFor();
    // The page has a way on, also by the name of an address.
    await page.getByLabel("Address to view").fill("nobody.eth");
    await page.getByRole("button", { name: "View", exact: true }).click();
    await page.getByText("This name does not resolve to an address.").waitFor();
    await page.getByLabel("Address to view").fill("alice.eth");
    await page.getByRole("button", { name: "View", exact: true }).click();
    await page.waitForURL(new RegExp(`address=${devAccount(1).address}`, "i"));
    expectNoErrors(visitor);
  });

  it("shows a QR code of the address and requests test coins", async () => {
    const visitor = await visitAs(6, PHONE);
    const { page } = visitor;
    const address = devAccount(6).address;
    await page.addInitScript(() => {
      const share = async ({ text, files = [] }: ShareData) => {
        const bitmap = files[0] && (await createImageBitmap(files[0]));
        Reflect.set(window, "shared", {
          text,
          type: files[0]?.type,
          isSquare: bitmap?.width === bitmap?.height,
        });
      };
      Object.assign(navigator, { share, canShare: () => true });
    });
    await open(page, "/portfolio");
    await page.getByRole("button", { name: "Receive" }).click();
    await page.getByRole("dialog").getByRole("img", { name: "QR code of your address" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Share address" }).click();
    await expect
      .poll(() => page.evaluate(() => Reflect.get(window, "shared")))
      .toEqual({ text: address, type: "image/png", isSquare: true });
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    const before = await node().getBalance({ address });
    await page.getByRole("button", { name: "Get 10 ETH for testing" }).click();
    await page.getByText("10 ETH received").first().waitFor();
    expect(await node().getBalance({ address })).toBe(before + parseEther("10"));
    expectNoErrors(visitor);
  });

  it("watches other addresses in this browser", async () => {
    const visitor = await visitAs(6);
    const { page } = visitor;
    await open(page, "/portfolio", { address: devAccount(1).address });
    await page.getByRole("button", { name: "Watch", exact: true }).click();
    await open(page, "/portfolio");
    const watched = page.getByRole("navigation", { name: "Wallets and watched addresses" });
    await watched.getByRole("link", { name: new RegExp(devAccount(1).address, "i") }).click();
    await page.getByRole("button", { name: "Stop watching" }).click();
    await watched.waitFor({ state: "detached" });
    expectNoErrors(visitor);
  });

  it("moves a token to the spam folder and back", async () => {
    const { page } = await visitAs(0);
    await open(page, "/portfolio", { chain: "0x539" });
    const tokens = page.getByRole("region", { name: "Tokens" });
    await tokens.getByRole("button", { name: /Purse Token/ }).click();
    await tokens.getByRole("button", { name: "Mark as spam" }).click();
    await page.reload();
    await tokens.getByText("Spam folder: 1 token").click();
    await tokens.getByText("Marked as spam by you").waitFor();
    await tokens.getByRole("button", { name: /Purse Token/ }).click();
    await tokens.getByRole("button", { name: "Not spam" }).click();
    await tokens.getByText(/Spam folder/).waitFor({ state: "detached" });
  });
});

describe("sending assets", () => {
  it("sends an NFT and an amount of an ERC-1155 item", async () => {
    const visitor = await visitAs(0);
    const { page } = visitor;
    const to = getAddress(devAccount(7).address);
    const id = await hand.ownedNftId(0);
    await open(page, "/send", { asset: `${hand.collection}/${id}` });
    await page.getByLabel("Recipient").fill(to);
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText(`−1 × NFT #${id}`).waitFor();
    await page.getByRole("button", { name: "Send NFT" }).click();
    await page.getByRole("heading", { name: "Sent" }).waitFor();
    const owner = await node().readContract({
      abi: erc721Abi,
      address: hand.collection,
      functionName: "ownerOf",
      args: [id],
    });
    expect(owner).toBe(to);
    const item = await hand.ownedItemId(0);
    await open(page, "/send", { asset: `${hand.items}/${item}` });
    await page.getByLabel("Recipient").fill(to);
    await page.getByLabel(/^Amount \(/).fill("2");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText(`−2 × NFT #${item}`).waitFor();
    await page.getByRole("button", { name: "Send NFT" }).click();
    await page.getByRole("heading", { name: "Sent" }).waitFor();
    expectNoErrors(visitor);
  });

  it("lists assets with balances, and shows the cost of a transfer and the remaining balance", async () => {
    const visitor = await visitAs(1);
    const { page } = visitor;
    await open(page, "/send");
    await page.getByRole("button", { name: /^Asset/ }).click();
    const dialog = page.getByRole("dialog", { name: "Choose an asset" });
    await dialog.waitFor();
    // The gutter of the scrollbar, which a backdrop does not cover, is dimmed like the page.
    const gutter = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dimmed = await gutter();
    await dialog.getByLabel("Search").fill("purse tok");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: /PURSE · Purse Token.*\$/ }).click();
    await expect.poll(gutter).not.toBe(dimmed);
    const to = devAccount(3).address;
    await page.getByLabel("Recipient").fill(to);
    await page.getByLabel("Amount (PURSE)").fill("2.5");
    await page.getByRole("button", { name: "Review" }).click();
    const balance = await node().readContract({
      address: hand.token,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [devAccount(1).address],
    });
    const left = Math.floor(Number(formatEther(balance)) - 2.5).toLocaleString("en-US");
    await page.getByText(new RegExp(`^${left}(\\.\\d+)? PURSE$`)).waitFor();
    await page.getByText(/^2\.5 PURSE \+ .+ ETH/).waitFor();
    // All tiers cost the same on the local chain: there is nothing to choose.
    await page.getByText(/^0\.0\d+ ETH · \$0\.\d\d · (~|within)/).waitFor();
    // The button that sends is in reach without scrolling.
    const [send, height] = [
      page.getByRole("button", { name: "Send PURSE" }),
      page.viewportSize()?.height ?? 0,
    ];
    const { y = height, height: ownHeight = 0 } = (await send.boundingBox()) ?? {};
    expect(y + ownHeight).toBeLessThanOrEqual(height);
    await hand.transferToken(1, to, 1n);
    await open(page, "/send");
    await page
      .getByRole("list", { name: "Suggestions" })
      .getByRole("button", { name: new RegExp(to, "i") })
      .click();
    expect((await page.getByLabel("Recipient").inputValue()).toLowerCase()).toBe(to.toLowerCase());
    expectNoErrors(visitor);
  });

  it("reserves the network fee with Max, and accepts amounts in dollars", async () => {
    const { page } = await visitAs(1);
    await open(page, "/send");
    await page.getByRole("button", { name: "Max" }).click();
    await page.getByText("reserved for the network fee").waitFor();
    await page.getByRole("button", { name: "$" }).click();
    // The same amount in the other currency.
    await expect
      .poll(async () => Number(await page.getByLabel("Amount (USD)").inputValue()))
      .toBeGreaterThan(1000);
    await page.getByLabel("Amount (USD)").fill("100");
    await page.getByText(/≈ 0\.\d+ ETH/).waitFor();
  });

  it("resolves names, and warns about one's own address, contracts and look-alike addresses", {
    tags: ["1.capability.resolve-domain"],
  }, async () => {
    const visitor = await visitAs(2);
    const { page } = visitor;
    await open(page, "/send");
    const field = page.getByLabel("Recipient");
    await field.fill("alice.eth");
    await page.getByTitle(/./).first().waitFor();
    await page.getByRole("status").getByText("alice.eth").waitFor();
    await field.fill("nobody-has-this.eth");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("This name does not resolve to an address.").waitFor();
    await field.fill(devAccount(2).address);
    await page.getByText("This is your own address").waitFor();
    for (const viewport of [PHONE.viewport, { width: 1280, height: 720 }]) {
      await page.setViewportSize(viewport);
      // The whole address can be read.
      const hidden = () =>
        field.evaluate((box) =>
          Math.max(box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight),
        );
      await expect.poll(hidden).toBeLessThanOrEqual(0);
    }
    await field.fill(hand.items);
    await page.getByText("This is a contract, not a wallet").waitFor();
    await page.getByRole("button", { name: "Address book" }).click();
    await page.getByRole("button", { name: "Add contact" }).click();
    const dialog = page.getByRole("dialog");
    const friend = devAccount(9).address;
    await dialog.getByLabel("Name", { exact: true }).fill("Ada");
    await dialog.getByLabel("Address", { exact: true }).fill(friend);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Edit Ada", exact: true }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("Ada L.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: /^Ada L\./ }).click();
    expect(await field.inputValue()).toBe(friend);
    await field.fill(`${friend.slice(0, 6)}${"0".repeat(32)}${friend.slice(-4)}`.toLowerCase());
    await page.getByText("Looks similar to a known address, but is different").waitFor();
    // Recipients of earlier transactions are known in every browser.
    const past = devAccount(7).address;
    await hand.transferToken(2, past, 1n);
    await page.reload();
    await field.fill(`${past.slice(0, 6)}${"0".repeat(32)}${past.slice(-4)}`.toLowerCase());
    await page.getByText("Looks similar to a known address, but is different").waitFor();
    const seen = await rest(app.purse, "GET", "/classes/Contact");
    expect(seen.body.results).toEqual([]);
    await page.getByRole("button", { name: "Address book" }).click();
    await page.getByRole("button", { name: "Remove Ada L." }).click();
    await page.getByText("No contacts yet").waitFor();
    expectNoErrors(visitor);
  });

  it("switches the wallet to the right network, and shows a declined switch", async () => {
    const visitor = await visitAs(3);
    const { page, wallet } = visitor;
    wallet.setChain("0x2105");
    await open(page, "/send", { chain: "0x539", to: devAccount(8).address, amount: "0.1" });
    await page.getByText("Wrong network").waitFor();
    await page.getByRole("button", { name: "Switch to Local chain" }).click();
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("−0.1 ETH").waitFor();
    wallet.declineNext();
    await page.getByRole("button", { name: "Send ETH" }).click();
    await page.getByText("Request rejected in wallet").waitFor();
    await page.goBack();
    expect(await page.getByLabel("Recipient").inputValue()).toBe(devAccount(8).address);
    expect(await page.getByLabel(/^Amount \(/).inputValue()).toBe("0.1");
    expectNoErrors(visitor);
  });

  it("keeps the recipient and amount when the page is reloaded while they are typed", async () => {
    const visitor = await visitAs(3);
    const { page } = visitor;
    await open(page, "/send", { chain: "0x539" });
    await page.getByLabel("Recipient").fill("0x12");
    await page.getByLabel(/^Amount \(/).pressSequentially("0.2");
    await page.reload();
    expect(await page.getByLabel("Recipient").inputValue()).toBe("0x12");
    expect(await page.getByLabel(/^Amount \(/).inputValue()).toBe("0.2");
    await page.getByRole("button", { name: /^Asset/ }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /Purse Token/ })
      .click();
    await page.getByLabel("Amount (PURSE)").waitFor();
    expect(await page.getByLabel("Amount (PURSE)").inputValue()).toBe("");
    expect(await page.getByLabel("Recipient").inputValue()).toBe("0x12");
    expectNoErrors(visitor);
  });

  it("sends coins from the account page, also with a comma, and shows the transaction after a reload", {
    tags: ["1.capability.transfer-native"],
  }, async () => {
    const visitor = await app.openWithWallet(5);
    const { page } = visitor;
    await page.goto(`${app.purse.url}/account`);
    const to = devAccount(6).address;
    const before = await node().getBalance({ address: to });
    await page.getByRole("link", { name: "Send" }).first().click();
    await page.getByText(/Balance: [\d,]+/).waitFor();
    await page.getByLabel("Recipient").fill("0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266");
    await page.getByLabel(/^Amount \(/).fill("999999999");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("Invalid checksum").waitFor();
    await page
      .getByRole("alert")
      .getByText(/Insufficient balance/)
      .waitFor();
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
});

describe("swapping", () => {
  /** Swaps the chosen amount and waits until the transaction is mined. */
  async function confirm(page: Page, action: string): Promise<void> {
    await page.getByText("Simulation succeeded").waitFor();
    await page.getByRole("button", { name: action, exact: true }).click();
    await page.getByRole("heading", { name: "Sent" }).waitFor();
  }

  it("quotes and swaps coins for a token, and back after an approval, each after a simulation", async () => {
    const visitor = await visitAs(5);
    const { page } = visitor;
    await open(page, "/portfolio", { chain: "0x539" });
    await page.getByRole("region", { name: "Tokens" }).getByText("Purse Token").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("Purse Tok");
    await page.getByRole("option", { name: "Purse Token (PURSE)" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Swap", exact: true }).click();
    await page.getByRole("button", { name: /^You receive/ }).click();
    const list = page.getByRole("dialog");
    await list.getByRole("searchbox").fill("PURSE");
    await list.getByRole("button", { name: /Purse Token/ }).click();
    await page.getByLabel("Amount (ETH)").fill("0.5");
    const quote = page.getByLabel("Quote");
    await quote
      .getByText(/^[\d,.]+ PURSE$/)
      .first()
      .waitFor();
    await quote.getByText("Uniswap v2").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Review" }).click();
    await confirm(page, "Swap");

    await page.getByRole("link", { name: "Swap again" }).click();
    await page.getByRole("button", { name: /^You pay/ }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /Purse Token/ })
      .click();
    await page.getByRole("button", { name: /^You receive/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: /^ETH/ }).click();
    await page.getByLabel("Amount (PURSE)").fill("10");
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("This gives access to your tokens").waitFor();
    await confirm(page, "Approve PURSE");
    await page.getByRole("button", { name: "Continue with the swap" }).click();
    await confirm(page, "Swap");
    expectNoErrors(visitor);
  });

  it("approves and swaps with one confirmation of a wallet with a smart account, or in two steps if it refuses", async () => {
    const visitor = await visitAs(9);
    const { page, wallet } = visitor;
    const smart = await makeSmart(wallet, app.purse.rpcUrl, 9);
    await hand.transferToken(0, devAccount(9).address, parseEther("100"));
    const token = hand.token.toLowerCase();
    const review = { chain: "0x539", from: token, to: "native", amount: "10", step: "review" };
    await open(page, "/swap", review);
    await page.getByText("One confirmation for both").waitFor();
    await page.getByText("This gives access to your tokens").waitFor();
    await page.getByText("−10 PURSE").waitFor();
    await expectAccessible(page);
    await confirm(page, "Approve and swap");
    expect(smart.batches).toEqual([[token, expect.stringMatching(/^0x[0-9a-f]{40}$/)]]);

    await open(page, "/send", { chain: "0x539", to: devAccount(8).address, amount: "0.1", step: "review" });
    await page.getByText("Smart account (EIP-7702)").waitFor();
    await page.getByText("−0.1 ETH").waitFor();

    smart.refuseNext(5750);
    await open(page, "/swap", { ...review, amount: "20" });
    await page.getByText("Simulation succeeded").waitFor();
    await page.getByRole("button", { name: "Approve and swap" }).click();
    await confirm(page, "Approve PURSE");
    await page.getByRole("button", { name: "Continue with the swap" }).waitFor();
    expect(smart.batches).toHaveLength(1);

    // The wallet executes nothing, which the user hears on another page, and later knows only a part.
    let status = 100;
    wallet.answer("eth_simulateV1", async () => null);
    wallet.answer("wallet_sendCalls", async () => ({ id: "calls-1" }));
    wallet.answer("wallet_getCallsStatus", async ([id]) => ({ id, chainId: "0x539", status, atomic: true }));
    await open(page, "/swap", { ...review, amount: "30" });
    await page.getByText("No preview").waitFor();
    await page.getByRole("button", { name: "Approve and swap" }).click();
    await page.getByRole("heading", { name: "Pending" }).waitFor();
    await open(page, "/portfolio");
    status = 400;
    await page.getByText("Approve and swap: not executed").waitFor();
    await open(page, "/swap", { chain: "0x539", calls: "calls-1" });
    await page.getByRole("heading", { name: "Failed" }).waitFor();
    status = 600;
    await page.reload();
    await page.getByRole("heading", { name: "Status unknown" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Swap again" }).click();
    await page.getByLabel(/^Amount/).waitFor();
    expectNoErrors(visitor);
  });

  it("wraps and unwraps coins one to one without an exchange", async () => {
    const visitor = await visitAs(5, PHONE);
    const { page } = visitor;
    await open(page, "/swap", { to: WETH });
    await page.getByLabel("Amount (ETH)").fill("1.25");
    await page.getByLabel("Quote").getByText("1.25 WETH").waitFor();
    await expectFits(page);
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("+1.25 WETH").waitFor();
    await confirm(page, "Wrap");
    await open(page, "/swap", { from: WETH, to: "native", amount: "0.25", step: "review" });
    await confirm(page, "Unwrap");
    const held = { abi: erc20Abi, functionName: "balanceOf", args: [devAccount(5).address] } as const;
    expect(await node().readContract({ address: WETH, ...held })).toBe(parseEther("1"));
    expectNoErrors(visitor);
  });
});

describe("sending on another chain", () => {
  it("switches the wallet, sends, and tracks the transaction through the wallet's node", async () => {
    const visitor = await visitAs(4);
    const { page } = visitor;
    const to = devAccount(8).address;
    const there = createPublicClient({ transport: http(second.url), cacheTime: 0 });
    const before = await there.getBalance({ address: to });
    await open(page, "/send", { chain: SECOND, to, amount: "0,25" });
    await page.getByText("Wrong network").waitFor();
    await expect
      .poll(() => page.getByRole("button", { name: "Switch network to continue" }).isDisabled())
      .toBe(true);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Switch to second" }).click();
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("second", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Send ETH" }).click();
    await page.getByRole("heading", { name: "Sent" }).waitFor();
    expect((await there.getBalance({ address: to })) - before).toBe(parseEther("0.25"));
    expectNoErrors(visitor);
  });
});

describe("a pending transaction", () => {
  const automine = (on: boolean) =>
    createTestClient({ mode: "anvil", transport: http(app.purse.rpcUrl) }).setAutomine(on);

  it("can be sped up or canceled by its sender and is hidden from others", async () => {
    const visitor = await visitAs(5);
    const { page } = visitor;
    const to = devAccount(8).address;
    const send = async () => {
      await open(page, "/send", { chain: "0x539", to, amount: "0.5" });
      await page.getByRole("button", { name: "Review" }).click();
      await page.getByRole("button", { name: "Send ETH" }).click();
      await page.getByRole("heading", { name: "Pending" }).waitFor();
    };
    const before = await node().getBalance({ address: to });
    await automine(false);
    try {
      await send();
      await page.getByRole("button", { name: "Speed up" }).click();
      await page.getByText("Resubmitted with a higher fee").waitFor();
      await hand.mine(1);
      await page.getByText("Sped up: resubmitted").waitFor();
      expect((await node().getBalance({ address: to })) - before).toBe(parseEther("0.5"));
      await send();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Cancel transaction" }).click();
      await page.getByText("Cancellation submitted").waitFor();
      await hand.mine(1);
      await page.getByText("Cancelled in the wallet").waitFor();
      expect((await node().getBalance({ address: to })) - before).toBe(parseEther("0.5"));
    } finally {
      await automine(true);
    }
    const sent = page.url();
    await page.getByText("Send 0.5 ETH", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    await page.goto(sent);
    await page.locator("code.address").waitFor();
    expect(await page.getByText("Send 0.5 ETH", { exact: true }).count()).toBe(0);
  });
});

describe("the status page of a transaction", () => {
  it("shows a revert with its reason, or an unreachable chain, from the hash alone", async () => {
    const hash = await createWalletClient({
      account: devAccount(9),
      transport: http(app.purse.rpcUrl),
    }).writeContract({
      chain: null,
      abi: erc20Abi,
      address: hand.token,
      functionName: "transfer",
      args: [devAccount(8).address, parseEther("1000000000")],
      gas: 200_000n,
    });
    const visitor = await app.open();
    const { page } = visitor;
    await open(page, "/send", { tx: hash, chain: "0x539" });
    await page.getByRole("heading", { name: "Reverted" }).waitFor();
    await page.getByText("You only paid the network fee.").waitFor();
    await expectAccessible(page);
    expectNoErrors(visitor);
    await page.route(`${app.purse.rpcUrl}/**`, (route) => route.abort());
    await page.reload();
    await page.getByText("The chain is currently unavailable").waitFor();
  });
});

describe("the contract page", () => {
  it("reads a contract by its token standard, and has a shareable URL for a call", async () => {
    const visitor = await visitAs(4);
    const { page } = visitor;
    await open(page, "/contract");
    await page.getByLabel("Contract address").fill(hand.token);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("ERC-20 token").waitFor();
    await page.getByRole("link", { name: /^balanceOf/ }).click();
    await page.locator('a[aria-current="page"]', { hasText: "balanceOf" }).waitFor();
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByText("Invalid address").waitFor();
    await page.getByLabel("account (address)").fill(devAccount(0).address);
    await page.getByRole("button", { name: "Read", exact: true }).click();
    const balance = await node().readContract({
      abi: erc20Abi,
      address: hand.token,
      functionName: "balanceOf",
      args: [devAccount(0).address],
    });
    await page.getByRole("region", { name: "Result" }).getByText(String(balance)).waitFor();
    await expectAccessible(page);
    await page.goto(page.url());
    expect(await page.getByLabel("account (address)").inputValue()).toBe(devAccount(0).address);
    await page.getByRole("region", { name: "Recent calls" }).getByText("balanceOf").waitFor();
    expectNoErrors(visitor);
  });

  it("recognizes functions by bytecode without an ABI, and keeps the form in the URL", async () => {
    const visitor = await visitAs(4);
    const { page } = visitor;
    const { body } = await rest(app.purse, "POST", "/functions/getPairAddress", {
      chain: "0x539",
      exchange: "uniswapv2",
      token0_address: hand.token,
      token1_address: WETH,
    });
    await open(page, "/contract", { address: String(Object(body.result).pairAddress) });
    await page.getByText(/ABI inferred from/).waitFor();
    await page
      .getByRole("navigation", { name: "Functions" })
      .getByRole("link", { name: /^getReserves/ })
      .click();
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).getByText("reserve1").waitFor();
    await page.getByRole("link", { name: /^allowance/ }).click();
    await page.getByLabel("owner (address)").fill(devAccount(0).address);
    await page.getByLabel("spender (address)").focus();
    await page.waitForURL(/args=/);
    await page.reload();
    expect(await page.getByLabel("owner (address)").inputValue()).toBe(devAccount(0).address);
    await page.getByLabel("ABI").waitFor({ state: "detached" });
    expectNoErrors(visitor);
  });

  it("warns about approvals, and resolves names and token amounts", async () => {
    const visitor = await visitAs(1);
    const { page } = visitor;
    await open(page, "/contract", { address: hand.token, fn: "approve(address,uint256)" });
    await page.getByLabel("spender (address)").fill("bob.eth");
    await page.getByText(devAccount(2).address).first().waitFor();
    expect(await page.getByLabel("spender (address)").inputValue()).toBe("bob.eth");
    // Amounts of a token begin in its unit.
    await page.getByLabel("amount (uint256)").fill("2.5");
    await page.getByRole("combobox", { name: "Unit of amount" }).filter({ hasText: "PURSE" }).waitFor();
    await page.getByText("This address will be able to take up to 2.5 PURSE, at any time:").waitFor();
    await page.getByLabel("amount (uint256)").fill("0");
    await page.getByText("This gives access to your tokens").waitFor({ state: "detached" });
    expectNoErrors(visitor);
  });

  it("writes to a contract after a simulation and decodes its logs", {
    tags: ["1.capability.contract-call"],
  }, async () => {
    const visitor = await visitAs(1, PHONE);
    const { page } = visitor;
    await open(page, "/contract", { address: hand.token, fn: "transfer(address,uint256)" });
    await page.getByLabel("recipient (address)").fill(devAccount(6).address);
    await page.getByLabel("amount (uint256)").fill("100000000000 ether");
    await page.getByRole("button", { name: "Simulate" }).click();
    await page.getByText("Simulation failed").waitFor();
    await page.getByLabel("amount (uint256)").fill("1.5 ether");
    await page.getByRole("button", { name: "Simulate" }).click();
    await page.getByText("Simulation succeeded").waitFor();
    await page.getByRole("button", { name: "Write", exact: true }).click();
    await page.getByRole("heading", { name: "Sent" }).waitFor();
    await page.getByRole("region", { name: "Events" }).getByText("1500000000000000000").waitFor();
    await page.getByText("Calldata and code").click();
    await page.getByText("0xa9059cbb").waitFor();
    await expectFits(page);
    await expectAccessible(page);
    expectNoErrors(visitor);
  });

  it("accepts a pasted ABI with overloads, tuples and arrays, and resolves a proxy", async () => {
    const visitor = await visitAs(5);
    const { page } = visitor;
    const slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    await createTestClient({ mode: "anvil", transport: http(app.purse.rpcUrl) }).setStorageAt({
      address: hand.items,
      index: slot,
      value: `0x${hand.token.slice(2).padStart(64, "0")}`,
    });
    await open(page, "/contract", { address: hand.items });
    await page.getByText("This is a proxy").waitFor();
    await page.getByRole("button", { name: "Paste ABI" }).click();
    await page.getByLabel("ABI").fill("function nonsense");
    await page.getByRole("button", { name: "Use this ABI" }).click();
    await page.getByText("Invalid signature.").waitFor();
    await page
      .getByLabel("ABI")
      .fill(
        "function stock(uint256 id) view returns (uint256)\nfunction stock(uint256 id, (address to, uint8[] sizes)[] orders) payable\nfunction balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])",
      );
    await page.getByRole("button", { name: "Use this ABI" }).click();
    await page.getByRole("link", { name: "stock(uint256,(address,uint8[])[])" }).click();
    await page.getByRole("button", { name: "Add to orders" }).click();
    await page.getByRole("button", { name: "Add to sizes" }).click();
    await page.getByLabel("sizes[0] (uint8)").fill("256");
    await page.getByLabel("to (address)").fill(devAccount(1).address);
    await page.getByLabel("id (uint256)").fill("1");
    await page.getByRole("button", { name: "Simulate" }).click();
    await page.getByText("uint8 must be between 0 and 255.").waitFor();
    await page.getByLabel("Value (ETH)").waitFor();
    await page.getByRole("link", { name: /^balanceOfBatch/ }).click();
    await page.getByRole("button", { name: "Add to accounts" }).click();
    await page.getByRole("button", { name: "Add to ids" }).click();
    await page.getByLabel("accounts[0] (address)").fill(devAccount(0).address);
    await page.getByLabel("ids[0] (uint256)").fill(String(await hand.ownedItemId(0)));
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).getByRole("listitem").waitFor();
    await expectAccessible(page);
    expectNoErrors(visitor);
  });
});
