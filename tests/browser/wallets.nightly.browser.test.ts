import { type EnableOptions, encryptKey } from "@purse/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoErrors, installWallet } from "../support/browser.ts";
import { type ClientPage, serveClientPage } from "../support/clientPage.ts";
import { devAccount, devKey } from "../support/devAccount.ts";
import { mockMagic } from "../support/magicService.ts";
import { hostPurse } from "../support/purse.ts";
import { serveAppBy } from "../support/webApp.ts";

type Client = typeof import("@purse/client");

const app = serveAppBy(() => hostPurse({ devChain: true }));
let site: ClientPage;

beforeAll(async () => {
  site = await serveClientPage();
});
afterAll(() => site?.stop());

/** Loads the page and connects its client to the server. */
async function load(page: Page): Promise<void> {
  await page.goto(site.url);
  await page.waitForFunction(() => "purse" in window);
  await run(page, async ({ start }, settings) => start(settings), {
    serverUrl: app.purse.serverUrl,
    appId: app.purse.appId,
  });
}

/** Runs a function in the page with the client and a value. */
function run<A, R>(page: Page, work: (client: Client, value: A) => R | Promise<R>, value: A): Promise<R> {
  return page.evaluate(
    ([source, given]) =>
      new Function("client", "value", `return (${source})(client, value)`)(
        Reflect.get(window, "purse"),
        given,
      ),
    [String(work), value] as const,
  );
}

const state = (page: Page) =>
  run(
    page,
    ({ walletState }) => {
      const now = walletState();
      return now.status === "enabled"
        ? { status: now.status, type: now.connector.type, account: now.account, chainId: now.chainId }
        : { status: now.status };
    },
    null,
  );
const signIn = (page: Page, options: EnableOptions) =>
  run(
    page,
    async ({ authenticate }, given) => String((await authenticate(given)).get("ethAddress")),
    options,
  );
const reconnect = (page: Page) => run(page, ({ reconnectWallet }) => reconnectWallet(), null);

const address = (index: number) => devAccount(index).address.toLowerCase();

describe("injected wallets", () => {
  it("are listed together, and only the chosen one is requested to sign in", async () => {
    const visitor = await app.openUncached();
    const { page } = visitor;
    const one = await installWallet(page, app.purse, 1, "One", "test.one");
    await installWallet(page, app.purse, 2, "Two", "test.two");
    await load(page);
    const names = await run(
      page,
      ({ injectedWallets }) => injectedWallets.get().map(({ name }) => name),
      null,
    );
    expect(names.sort()).toEqual(["One", "Two"]);
    expect(await signIn(page, { rdns: "test.two" })).toBe(address(2));
    expect(await state(page)).toEqual({
      status: "enabled",
      type: "injected",
      account: address(2),
      chainId: "0x539",
    });
    expect(one.requestedMethods).toEqual([]);
    expectNoErrors(visitor);
  });

  it("reconnect after a reload without a request", async () => {
    const { page } = await app.openUncached();
    await installWallet(page, app.purse, 1, "One", "test.one");
    const two = await installWallet(page, app.purse, 2, "Two", "test.two");
    await load(page);
    await run(page, async ({ enableWeb3 }) => void (await enableWeb3({ rdns: "test.two" })), null);
    await load(page);
    expect(await state(page)).toEqual({ status: "not enabled" });
    expect(await reconnect(page)).toBe(true);
    expect(await state(page)).toMatchObject({ status: "enabled", account: address(2) });
    expect(two.requestedMethods.indexOf("eth_accounts")).toBeLessThan(
      two.requestedMethods.lastIndexOf("eth_requestAccounts"),
    );
    await run(page, ({ deactivateWeb3 }) => deactivateWeb3(), null);
    await load(page);
    expect(await reconnect(page)).toBe(false);
  });

  it("disconnect and reconnect in all tabs together", async () => {
    const { page } = await app.openUncached();
    await installWallet(page, app.purse, 3);
    const other = await page.context().newPage();
    await installWallet(other, app.purse, 3);
    await load(page);
    await load(other);
    expect(await reconnect(other)).toBe(false);
    expect(await signIn(page, {})).toBe(address(3));
    await expect.poll(() => state(other)).toMatchObject({ status: "enabled", account: address(3) });
    await run(other, ({ deactivateWeb3 }) => deactivateWeb3(), null);
    await expect.poll(() => state(page)).toEqual({ status: "deactivated" });
  });

  it("may be missing, which rejects the sign-in", { tags: ["8.wallet.non-ethereum-browser"] }, async () => {
    const { page } = await app.openUncached();
    await load(page);
    await expect(signIn(page, {})).rejects.toThrow("Non ethereum enabled browser");
    expect(await run(page, ({ isMetaMaskInstalled }) => isMetaMaskInstalled(), null)).toBe(false);
  });
});

describe("wallets without an extension", () => {
  it("include a node, which reconnects after a reload", async () => {
    const { page } = await app.openUncached();
    await load(page);
    const options = { provider: "network", urls: { 1337: app.purse.rpcUrl } };
    await run(page, async ({ enableWeb3 }, given) => void (await enableWeb3(given)), options);
    const block = await run(
      page,
      async ({ Moralis }) => Number(await Moralis.provider?.request({ method: "eth_blockNumber" })),
      null,
    );
    expect(block).toBeGreaterThan(0);
    await load(page);
    expect(await reconnect(page)).toBe(true);
    expect(await state(page)).toEqual({
      status: "enabled",
      type: "network",
      account: null,
      chainId: "0x539",
    });
  });

  it("include a node with a key, which is never stored", async () => {
    const { page } = await app.openUncached();
    await load(page);
    const options = { provider: "network", urls: { 1337: app.purse.rpcUrl }, privateKey: devKey(4) };
    expect(await signIn(page, options)).toBe(address(4));
    const kept = await page.evaluate(() => JSON.stringify(localStorage));
    expect(kept).not.toContain(devKey(4).slice(2));
    await load(page);
    expect(await reconnect(page)).toBe(false);
  });

  it("include a keystore, which is unlocked again on every page", async () => {
    const { page } = await app.openUncached();
    await load(page);
    const keystore = await encryptKey(devKey(5), "correct horse", { n: 2 });
    const options = { provider: "keystore", rpcUrl: app.purse.rpcUrl, keystore, password: "correct horse" };
    expect(await signIn(page, options)).toBe(address(5));
    await load(page);
    expect(await reconnect(page)).toBe(false);
  });

  it("include the application's own connector", async () => {
    const { page } = await app.openUncached();
    await load(page);
    const options = { urls: { 1337: app.purse.rpcUrl }, privateKey: devKey(6) };
    const given = await run(
      page,
      async ({ NetworkWeb3Connector, authenticate, walletState }, value) => {
        class Own extends NetworkWeb3Connector {
          override type = "own";
        }
        const user = await authenticate({ connector: Own, ...value });
        const now = walletState();
        return [user.get("ethAddress"), now.status === "enabled" && now.connector.type];
      },
      options,
    );
    expect(given).toEqual([address(6), "own"]);
  });
});

describe("optional wallet libraries", () => {
  it.each([
    ["wc", { projectId: "project" }, 'dependency "@walletconnect/ethereum-provider" is missing'],
    ["web3Auth", { clientId: "client" }, '"@web3auth/modal" not installed'],
  ])("are named in the error if they are missing: %s", async (provider, options, message) => {
    const { page } = await app.openUncached();
    await load(page);
    await expect(signIn(page, { provider, ...options })).rejects.toThrow(message);
    expect(await state(page)).toEqual({ status: "not enabled" });
  });

  it("are loaded on demand: Magic signs in by email and reconnects after a reload", async () => {
    const { page } = await app.openUncached();
    const { requestedMethods: requested } = await installWallet(page, app.purse, 7);
    const mails = await mockMagic(page, 7);
    await load(page);
    const options = {
      provider: "magicLink",
      email: "ada@test.local",
      apiKey: "pk_live_1",
      network: "mainnet",
    };
    expect(await signIn(page, options)).toBe(address(7));
    expect(await state(page)).toMatchObject({ type: "MagicLink", account: address(7), chainId: "0x539" });
    expect(requested).toContain("personal_sign");
    await load(page);
    expect(await reconnect(page)).toBe(true);
    expect(mails).toEqual(["ada@test.local"]);
    await run(page, ({ deactivateWeb3 }) => deactivateWeb3(), null);
    await load(page);
    expect(await reconnect(page)).toBe(false);
  });
});
