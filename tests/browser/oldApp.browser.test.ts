import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { createPublicClient, http, parseEther } from "viem";
import { build, type PreviewServer, preview } from "vite";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { casesOf, NIGHTLY } from "../support/allCases.ts";
import { installWallet, releaseBrowser, testBrowser, type Visit, visitUncached } from "../support/browser.ts";
import { devAccount } from "../support/devAccount.ts";
import { freePort } from "../support/freePort.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const OLD_APP = join(ROOT, "tests/fixtures/oldApp");

/** The packages that the application's imports resolve to. */
const DEPENDENCIES: { name: string; alias: Record<string, string>; own: boolean }[] = [
  { name: "react-moralis 1.4.2 and moralis-v1 1.13.0", alias: {}, own: false },
  {
    name: "@purse/react and @purse/client",
    alias: { "react-moralis": "@purse/react", "moralis-v1": "@purse/client" },
    own: true,
  },
];

/** `npm test` runs it with the old packages. */
const PROVEN = casesOf(DEPENDENCIES, ({ own }) => !own);

describe.each(PROVEN)("an application written for the old packages, with $name", (built) => {
  let purse: Purse;
  let browser: Browser;
  let site: PreviewServer;
  let folder: string;
  let origin: string;
  let visits: Visit[] = [];
  /** URLs of other hosts that the page requested. */
  let outside: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "purse-old-app-"));
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    [purse, browser, site] = await Promise.all([
      hostPurse({ devChain: true }),
      testBrowser(),
      buildAndServe(built.alias, folder, port),
    ]);
  }, 120_000);
  afterAll(async () => {
    await releaseBrowser(browser);
    await site?.close();
    await purse?.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    await Promise.all(visits.map((each) => each.close()));
    visits = [];
    outside = [];
  });

  async function open(index: number): Promise<Visit> {
    const visitor = await visitUncached(browser);
    const { page } = visitor;
    visits.push(visitor);
    page.setDefaultTimeout(30_000);
    await page.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => {
      outside.push(route.request().url());
      return route.fulfill({ json: {} });
    });
    await standAsOnlyWallet(page);
    await installWallet(page, purse, index);
    const settings = new URLSearchParams({ appId: purse.appId, serverUrl: purse.serverUrl });
    await page.goto(`${origin}/?${settings}`);
    return visitor;
  }

  async function openSignedIn(index: number): Promise<Visit> {
    const visitor = await open(index);
    await visitor.page.getByRole("button", { name: "Sign in with MetaMask" }).click();
    await visitor.page.getByText(`${addressOf(index)} on 0x539`).waitFor();
    return visitor;
  }

  const addressOf = (index: number) => devAccount(index).address.toLowerCase();
  const node = () => createPublicClient({ transport: http(purse.rpcUrl) });
  const textOf = (page: Page, id: string) => page.getByTestId(id).textContent();

  it("signs in with the injected wallet, works for its user, stays signed in after a reload, and signs out", async () => {
    const { page, errors } = await openSignedIn(1);
    expect(await textOf(page, "address")).toBe(addressOf(1));
    await savesProfile(page);
    await savesObjects(page);
    await storesFile(page);
    await sendsCurrency(page);
    await callsContract(page);
    await page.reload();
    await page.getByText(`${addressOf(1)} on 0x539`).waitFor();
    await page.getByTestId("nickname").getByText("Hedy").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with MetaMask" }).waitFor();
    expect(errors).toEqual([]);
    if (built.own) expect(outside).toEqual([]);
  });

  /** Saves the user's profile, and again after refetching the user's data, which keeps the session. */
  async function savesProfile(page: Page): Promise<void> {
    const save = async (nickname: string) => {
      await page.getByLabel("Nickname").fill(nickname);
      // The page shows the name before the server has it.
      const saved = page.waitForResponse(/\/classes\/_User\//);
      await page.getByRole("button", { name: "Save nickname" }).click();
      expect((await saved).status()).toBe(200);
      await page.getByRole("button", { name: "Save nickname", disabled: false }).waitFor();
      await page.getByTestId("nickname").getByText(nickname).waitFor();
    };
    await save("Grace");
    const loaded = page.waitForResponse(/\/classes\/_User\//);
    await page.getByRole("button", { name: "Load my data again" }).click();
    await loaded;
    await page.getByRole("button", { name: "Load my data again", disabled: false }).waitFor();
    await page.getByTestId("nickname").getByText("Grace").waitFor();
    await save("Hedy");
  }

  /** Saves, updates and counts objects, and shows them live. */
  async function savesObjects(page: Page): Promise<void> {
    await page.getByLabel("Title").fill("First light");
    await page.getByRole("button", { name: "Post it" }).click();
    await page.getByText("First light: 0").waitFor();
    await page.getByRole("button", { name: "Like First light" }).click();
    await page.getByText("First light: 1").waitFor();
    await page.getByRole("button", { name: "Count mine" }).click();
    await page.getByTestId("mine").getByText("1").waitFor();
  }

  /** Stores a file and links to it. */
  async function storesFile(page: Page): Promise<void> {
    const buffer = Buffer.from("Dear diary");
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "diary.txt", mimeType: "text/plain", buffer });
    const link = page.getByRole("link", { name: /diary\.txt/ });
    const answer = await fetch((await link.getAttribute("href")) ?? "");
    expect(await answer.text()).toBe("Dear diary");
  }

  /** Sends native currency and waits until it is mined. */
  async function sendsCurrency(page: Page): Promise<void> {
    const to = devAccount(6).address;
    const before = await node().getBalance({ address: to });
    await page.getByLabel("Receiver").fill(to);
    await page.getByRole("button", { name: "Send 0.5 ETH" }).click();
    await page.getByTestId("transfer").waitFor();
    expect(await textOf(page, "transfer")).toMatch(/^0x[0-9a-f]{64} 1$/);
    expect((await node().getBalance({ address: to })) - before).toBe(parseEther("0.5"));
  }

  /** Reads a contract and sends a transaction to it. */
  async function callsContract(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Ask the token" }).click();
    await page.getByTestId("balance").waitFor();
    const balance = await textOf(page, "balance");
    expect(await textOf(page, "indexed")).toBe(balance);
    await page.getByRole("button", { name: "Send 7" }).click();
    await page.getByTestId("sent").getByText("1").waitFor();
    await page.getByRole("button", { name: "Ask the token" }).click();
    await page
      .getByTestId("balance")
      .getByText(String(BigInt(balance ?? 0) - 7n))
      .waitFor();
  }

  if (NIGHTLY)
    it("shows why a declined signature did not sign in", async () => {
      const { page } = await open(2);
      await page.evaluate(() => {
        const wallet = Reflect.get(window, "ethereum");
        const { request } = wallet;
        wallet.request = (ask: { method: string }) =>
          ask.method === "personal_sign"
            ? Promise.reject(Object.assign(new Error("User denied message signature."), { code: 4001 }))
            : request(ask);
      });
      await page.getByRole("button", { name: "Sign in with MetaMask" }).click();
      await page.getByRole("alert").getByText("User denied message signature.").waitFor();
    });

  if (NIGHTLY)
    it("lists the wallet's NFTs and their transfers", async () => {
      const { page } = await openSignedIn(0);
      const list = page.getByRole("region", { name: "NFTs" });
      await list.getByRole("listitem").first().waitFor();
      expect(await list.getByRole("listitem").count()).toBeGreaterThan(1);
      await page.getByRole("button", { name: "Show transfers" }).click();
      await page.getByTestId("transfers").waitFor();
      expect(Number(await textOf(page, "transfers"))).toBeGreaterThan(0);
    });
});

async function buildAndServe(
  alias: Record<string, string>,
  outDir: string,
  port: number,
): Promise<PreviewServer> {
  const project = { root: OLD_APP, configFile: false, logLevel: "error" } as const;
  await build({
    ...project,
    // The old packages expect globals that older bundlers defined.
    define: { global: "globalThis" },
    // The workspace has another copy of React; an application has one.
    resolve: { alias, dedupe: ["react", "react-dom"] },
    build: { outDir, emptyOutDir: true, minify: false },
  });
  return preview({
    ...project,
    build: { outDir },
    preview: { host: "127.0.0.1", port, strictPort: true },
  });
}

/** Makes the announced wallet `window.ethereum`, which old code uses. */
async function standAsOnlyWallet(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.addEventListener("eip6963:announceProvider", (event) => {
      const { provider } = Reflect.get(event, "detail");
      Reflect.set(window, "ethereum", Object.assign(provider, { isMetaMask: true }));
    });
  });
}
