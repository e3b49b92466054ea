import { act, render, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  ACCOUNT,
  installEthereum,
  renderInProvider,
  renderReady,
  setUpTestServer,
} from "../test/testRendering.tsx";
import * as React from "./index.ts";

const test = setUpTestServer();

const spec = (name: string, ...functions: string[]) => ({ plugins: [{ name, functions }] });
const success = (name: string, result: object) =>
  test.server.on(`POST functions/${name}`, { body: { result: { data: { success: true, result } } } });

describe("a plugin", () => {
  it("that is not installed is reported by its name", { tags: ["8.sdk.plugin-not-installed"] }, async () => {
    const view = await renderReady(test.server, () => React.useOpenSeaAsset());
    await act(async () => void (await view.current.getAsset()));
    expect(view.current.error).toMatchObject({
      message: "opensea plugin has not been installed or initialized",
    });
  });

  it("cannot be called before the start", { tags: ["8.sdk.not-initialized"] }, async () => {
    const { result } = renderInProvider(test.server, () => React.useFiatBuy(), { initializeOnMount: false });
    await act(async () => void (await result.current.buy()));
    expect(result.current.error).toMatchObject({
      message: "Moralis has not been initialized, run Moralis.start first",
    });
  });

  it("cannot be called during the start", async () => {
    const blocked = Promise.withResolvers<void>();
    test.server.on("POST functions/getPluginSpecs", { body: { result: [] }, waitFor: blocked.promise });
    const { result } = renderInProvider(test.server, () => React.useFiatBuy(), { plugins: undefined });
    await act(async () => void (await result.current.buy()));
    expect(result.current.error).toMatchObject({ message: "Plugins are not finished initializing" });
    blocked.resolve();
  });
});

describe("the 1inch hooks", () => {
  const params = {
    fromToken: { address: "0xa", decimals: 6 },
    toToken: { address: "0xb" },
    fromAmount: "1.5",
  };

  it("list the tokens on mount", async () => {
    success("oneInch_getSupportedTokens", { tokens: [{ symbol: "ABC" }] });
    const view = await renderReady(
      test.server,
      () => React.useOneInchTokens({ chain: "bsc" }),
      spec("oneInch", "getSupportedTokens"),
    );
    await waitFor(() => expect(view.current.data).toEqual({ tokens: [{ symbol: "ABC" }] }));
    expect(test.server.bodies.at(-1)).toMatchObject({ chain: "bsc" });
  });

  it("quote amounts in the token's smallest unit", async () => {
    success("oneInch_quote", { toTokenAmount: "7" });
    const view = await renderReady(
      test.server,
      () => React.useOneInchQuote(params),
      spec("oneInch", "quote"),
    );
    await act(async () => void (await view.current.getQuote()));
    expect(view.current.data).toEqual({ toTokenAmount: "7" });
    expect(test.server.bodies.at(-1)).toMatchObject({
      chain: "eth",
      fromTokenAddress: "0xa",
      toTokenAddress: "0xb",
      amount: "1500000",
    });
  });

  it("require a wallet for a swap, and approve the token before it", async () => {
    installEthereum();
    test.server.on("POST functions/oneInch_hasAllowance", {
      body: { result: { data: { success: true, result: false } } },
    });
    success("oneInch_approve", { data: "approved" });
    success("oneInch_swap", { data: "swapped" });
    const view = await renderReady(
      test.server,
      () => ({ ...React.useMoralis(), one: React.useOneInchSwap(params) }),
      spec("oneInch", "hasAllowance", "approve", "swap"),
    );
    await act(async () => void (await view.current.one.swap()));
    expect(view.current.one.error).toMatchObject({
      message: "No web3 account found, run enableWeb3() first",
    });
    await act(async () => void (await view.current.enableWeb3()));
    await act(async () => void (await view.current.one.swap({ throwOnError: true })));
    expect(test.server.calls.slice(-3)).toEqual([
      "POST functions/oneInch_hasAllowance",
      "POST functions/oneInch_approve",
      "POST functions/oneInch_swap",
    ]);
    expect(test.server.bodies.at(-1)).toMatchObject({
      fromAddress: ACCOUNT,
      amount: "1500000",
      slippage: 1,
    });
  });
});

describe("the marketplace hooks", () => {
  it.each([
    ["opensea.getAsset", { network: "mainnet", tokenId: "1" }, () => React.useOpenSeaAsset({ tokenId: "1" })],
    [
      "opensea.getOrders",
      { network: "mainnet", orderSide: 1, page: 1 },
      () => React.useOpenSeaOrders({ orderSide: 1 }),
    ],
    [
      "opensea.createSellOrder",
      { network: "mainnet", startAmount: 1 },
      () => React.useOpenSeaSellOrder({ startAmount: 1 }),
    ],
    [
      "opensea.createBuyOrder",
      { network: "mainnet", amount: 1 },
      () => React.useOpenSeaBuyOrder({ amount: 1 }),
    ],
    ["fiat.buy", { coin: "ETH" }, () => React.useFiatBuy({ coin: "ETH" })],
    ["rarible.lazyMint", { chain: "eth", supply: 1 }, () => React.useRaribleLazyMint({ supply: 1 })],
    [
      "rarible.createSellOrder",
      { chain: "eth", makeValue: 1 },
      () => React.useRaribleSellOrder({ makeValue: 1 }),
    ],
  ])("call %s with %o", async (name, params, hook: () => object) => {
    const [plugin = "", fn = ""] = name.split(".");
    success(`${plugin}_${fn}`, { data: "done", triggers: [] });
    const view = await renderReady(test.server, hook, spec(plugin, fn));
    const fetch: unknown = Reflect.get(view.current, fn);
    await act(async () => {
      if (fetch instanceof Function) await fetch({ throwOnError: true });
    });
    expect(view.current).toMatchObject({ data: { data: "done" } });
    expect(test.server.bodies.at(-1)).toMatchObject(params);
  });

  it("do not run triggers with disableTriggers", async () => {
    success("fiat_buy", { data: "bought", triggers: [{ name: "openUrl", data: { url: "https://x" } }] });
    const view = await renderReady(
      test.server,
      () => React.useFiatBuy({}, { disableTriggers: true }),
      spec("fiat", "buy"),
    );
    await act(async () => void (await view.current.buy({ throwOnError: true })));
    expect(view.current.data).toMatchObject({ data: "bought" });
  });
});

it.each(["colour", "dark", "light"] as const)("ByMoralis renders a badge, in %s too", (variant) => {
  const view = render(<React.ByMoralis variant={variant} width={125} style={{ margin: 3 }} />);
  const badge = view.getByRole("img", { name: "Built on Purse" });
  expect(badge.getAttribute("width")).toBe("125");
  expect(badge.getAttribute("height")).toBe("30");
});

it("the package exports every name of react-moralis", () => {
  const old =
    "MoralisProvider ByMoralis MoralisContext ReactMoralisError NoMoralisContextProviderError NotAuthenticatedError ValidationError getChain getSupportedChains resolveIPFS useMoralis useChain useMoralisCloudFunction useMoralisFile useNewMoralisObject useMoralisQuery useMoralisSubscription useMoralisWeb3Api useMoralisWeb3ApiCall useMoralisSolanaApi useMoralisSolanaCall useWeb3Transfer useWeb3ExecuteFunction useWeb3Contract useApiContract useERC20Balances useERC20Transfers useNFTBalances useNFTTransfers useNativeBalance useNativeTransactions useTokenPrice useEnsAddress useEnsName useOneInchTokens useOneInchQuote useOneInchSwap useOpenSeaAsset useOpenSeaOrders useOpenSeaSellOrder useOpenSeaBuyOrder useFiatBuy useRaribleLazyMint useRaribleSellOrder".split(
      " ",
    );
  expect(old).toHaveLength(44);
  expect(Object.keys(React)).toEqual(expect.arrayContaining(old));
});
