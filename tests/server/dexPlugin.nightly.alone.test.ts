import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { deactivateWeb3, enableWeb3, Plugins, start } from "@purse/client";
import { devContracts } from "@purse/devchain";
import { type Address, createPublicClient, erc20Abi, http, parseEther } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devAccount, devKey } from "../support/devAccount.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

/** The bundled plugin with the pools of the local chain. */

/** The index of an account of the local chain. */
const TRADER = 4;
const COIN = `0x${"e".repeat(40)}`;
const FILE = resolve(import.meta.dirname, "../../plugins/dex/dex.ts");

let purse: Purse;
let folder: string;
let contracts: Record<"account" | "token" | "dollar" | "v2", Address>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "purse-dex-"));
  // They have the same addresses on every local chain.
  const { token, dollar, market } = devContracts();
  contracts = {
    account: devAccount(TRADER).address,
    token: token.address,
    dollar: dollar.address,
    v2: market.v2.router.address,
  };
  const config = join(folder, "purse.config.ts");
  writeFileSync(config, `export default { plugins: [${JSON.stringify(FILE)}] };`);
  purse = await hostPurse({ devChain: true, env: { PURSE_CONFIG: config } });
  await start({ serverUrl: purse.serverUrl, appId: purse.appId });
  const wallet = { privateKey: devKey(TRADER), rpcUrl: purse.rpcUrl };
  await enableWeb3({ provider: "keystore", ...wallet });
});
afterAll(async () => {
  await deactivateWeb3();
  await purse?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const trader = (): Address => contracts.account;
const node = () => createPublicClient({ transport: http(purse.rpcUrl), cacheTime: 0 });
const units = (address: Address) =>
  node().readContract({ address, abi: erc20Abi, functionName: "balanceOf", args: [trader()] });

function dex(name: "quote" | "swap", params: object, options = {}): Promise<unknown> {
  const run = Plugins.dex?.[name];
  if (!run) throw new Error(`there is no dex_${name}`);
  return run({ chain: "0x539", ...params }, options);
}

function calls(order: object): Promise<unknown> {
  return dex("swap", { ...order, fromAddress: trader() });
}

describe("the dex plugin", () => {
  it("quotes the best pool and lets the caller's wallet swap that amount", async () => {
    const { token, v2 } = contracts;
    const order = { fromTokenAddress: COIN, toTokenAddress: token, amount: parseEther("0.5").toString() };
    const quote = Object(await dex("quote", order));
    expect(quote).toMatchObject({
      fromTokenAmount: order.amount,
      toToken: { symbol: "PURSE", decimals: 18 },
      exchange: "Uniswap v2",
      router: v2,
    });
    const before = await units(token);
    expect(await calls(order)).toMatchObject({ succeeded: true });
    expect((await units(token)) - before).toBe(BigInt(quote.toTokenAmount));
  });

  it("approves the exact amount of sold tokens, and pays out the coin", async () => {
    const { token, v2 } = contracts;
    const order = { fromTokenAddress: token, toTokenAddress: COIN, amount: parseEther("100").toString() };
    const before = await node().getBalance({ address: trader() });
    const had = await units(token);
    expect(await calls(order)).toMatchObject({ succeeded: true });
    expect(had - (await units(token))).toBe(parseEther("100"));
    expect(await node().getBalance({ address: trader() })).toBeGreaterThan(before);
    const args = [trader(), v2] as const;
    const left = await node().readContract({
      address: token,
      abi: erc20Abi,
      functionName: "allowance",
      args,
    });
    expect(left).toBe(0n);
  });

  it("uses pools of Uniswap v3 in both directions if they give more", async () => {
    const { dollar } = contracts;
    const buy = { fromTokenAddress: COIN, toTokenAddress: dollar, amount: parseEther("1").toString() };
    const quote = Object(await dex("quote", buy));
    expect(quote).toMatchObject({ exchange: "Uniswap v3", fee: 3000, toToken: { symbol: "pUSD" } });
    const before = await units(dollar);
    expect(await calls(buy)).toMatchObject({ succeeded: true });
    expect((await units(dollar)) - before).toBe(BigInt(quote.toTokenAmount));

    const coins = await node().getBalance({ address: trader() });
    const sell = { fromTokenAddress: dollar, toTokenAddress: COIN, amount: "1000000000" };
    expect(await dex("quote", sell)).toMatchObject({ exchange: "Uniswap v3" });
    expect(await calls(sell)).toMatchObject({ succeeded: true });
    expect(await node().getBalance({ address: trader() })).toBeGreaterThan(coins + parseEther("0.4"));
  });

  it("requires at least the quote minus the slippage", async () => {
    const order = {
      fromTokenAddress: COIN,
      toTokenAddress: contracts.token,
      amount: parseEther("0.1").toString(),
      fromAddress: trader(),
      slippage: 5,
    };
    const { data: answer } = Object(await dex("swap", order, { disableTriggers: true }));
    const least = (BigInt(answer.toTokenAmount) * 95n) / 100n;
    expect(answer.minimumAmount).toBe(least.toString());
  });

  it("returns a transaction request in the plugin protocol", async () => {
    const response = await fetch(`${purse.serverUrl}/functions/dex_swap`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Parse-Application-Id": purse.appId },
      body: JSON.stringify({
        chain: 1337,
        fromTokenAddress: COIN,
        toTokenAddress: contracts.token,
        amount: "1000",
        fromAddress: trader(),
      }),
    });
    expect(await response.json()).toMatchObject({
      result: {
        data: {
          success: true,
          result: {
            triggers: [
              { name: "web3Transaction", shouldAwait: true, data: { to: contracts.v2, value: "1000" } },
            ],
          },
        },
      },
    });
  });

  it.each([
    [{ chain: "solana" }, /No exchange is known on this chain/],
    [{ amount: "0" }, /amount must be a whole number above 0/],
    [{ amount: "1.5" }, /amount must be a whole number above 0/],
    [{ toTokenAddress: "PURSE" }, /toTokenAddress must be an address/],
    [{ toTokenAddress: COIN }, /must be two tokens/],
    [{ toTokenAddress: `0x${"12".repeat(20)}` }, /No pool exchanges these tokens/],
    [{ amount: (2n ** 256n - 1n).toString() }, /No pool exchanges these tokens in this amount/],
    [{ slippage: 51 }, /slippage must be a number of percent from 0 to 50/],
    [{ slippage: "x" }, /slippage must be/],
    [{ fromAddress: "0x1" }, /fromAddress must be an address/],
  ])("rejects invalid orders: %o", async (given, message) => {
    const order = { fromTokenAddress: COIN, toTokenAddress: contracts.token, amount: "1000" };
    await expect(dex("swap", { ...order, fromAddress: trader(), ...given })).rejects.toThrow(message);
  });
});
