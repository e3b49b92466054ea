import { useCallback } from "react";
import { callPlugin } from "./pluginCall.ts";
import { type AsyncCallOptions, useAsyncCall, withoutSetData } from "./useAsyncCall.ts";
import { useMoralis } from "./useMoralis.ts";

/*
 * Hooks for plugins of the server. The result type is known to the author of the plugin: the caller asserts `R`.
 * Each rejects with `… plugin has not been installed or initialized` if the server does not have it.
 */

interface PluginOptions extends AsyncCallOptions {
  /** Returns the result without executing the triggers of the response. */
  disableTriggers?: boolean;
}

function usePlugin<P extends object, R>(
  plugin: string,
  fn: string,
  params: P,
  { autoFetch = false, disableTriggers }: PluginOptions = {},
) {
  const callFunction = usePluginCalls(plugin);
  const call = useAsyncCall<R, P, null>(
    (given) => callFunction<R>(fn, given, disableTriggers),
    params,
    null,
    {
      autoFetch,
    },
  );
  return withoutSetData(call);
}

function usePluginCalls(plugin: string) {
  const { Moralis, isInitialized, isInitializing } = useMoralis();
  return useCallback(
    <R>(fn: string, params: object, disableTriggers?: boolean) =>
      callPlugin<R>({ Moralis, isInitialized, isInitializing }, plugin, fn, params, disableTriggers),
    [Moralis, isInitialized, isInitializing, plugin],
  );
}

/** A token of a swap. */
export interface OneInchToken {
  /** Defaults to 18. */
  decimals?: number;
  address: string;
}

/** The tokens and the amount of a swap. */
export interface OneInchQuoteParams {
  chain?: string;
  fromToken: OneInchToken;
  toToken: OneInchToken;
  /** A decimal amount of tokens. */
  fromAmount: string | number;
}

/** The tokens that 1inch supports on a chain. */
export function useOneInchTokens({ chain = "eth" }: { chain?: string } = {}, options: AsyncCallOptions = {}) {
  const callFunction = usePluginCalls("oneInch");
  const { fetch, ...call } = withoutSetData(
    useAsyncCall<unknown, { chain: string }>(
      (given) => callFunction("getSupportedTokens", given),
      { chain },
      NO_TOKENS,
      {
        autoFetch: true,
        ...options,
      },
    ),
  );
  return { getSupportedTokens: fetch, ...call };
}

const NO_TOKENS: readonly unknown[] = [];

/** A quote for a swap. */
export function useOneInchQuote<R = unknown>(
  params?: Partial<OneInchQuoteParams>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const callFunction = usePluginCalls("oneInch");
  const { fetch, ...call } = withoutSetData(
    useAsyncCall<R, Partial<OneInchQuoteParams>, null>(
      ({ chain = "eth", fromToken, toToken, fromAmount = 0 }) =>
        callFunction<R>("quote", {
          chain,
          fromTokenAddress: fromToken?.address,
          toTokenAddress: toToken?.address,
          amount: Moralis.Units.Token(fromAmount, fromToken?.decimals),
        }),
      params ?? {},
      null,
      options,
    ),
  );
  return { getQuote: fetch, ...call };
}

/** Approves the token if needed, and swaps it. `slippage` in percent. */
export function useOneInchSwap<R = unknown>(
  params?: Partial<OneInchQuoteParams & { slippage: number }>,
  options?: AsyncCallOptions,
) {
  const { Moralis, account } = useMoralis();
  const callFunction = usePluginCalls("oneInch");
  const { fetch, ...call } = withoutSetData(
    useAsyncCall<R, Partial<OneInchQuoteParams & { slippage: number }>, null>(
      async ({ chain = "eth", fromToken, toToken, fromAmount = 0, slippage = 1 }) => {
        if (!account) throw new Error("No web3 account found, run enableWeb3() first");
        const fromTokenAddress = fromToken?.address;
        const amount = Moralis.Units.Token(fromAmount, fromToken?.decimals);
        const swapParams = { chain, fromTokenAddress, fromAddress: account, amount };
        if (!(await callFunction("hasAllowance", swapParams))) {
          await callFunction("approve", { chain, tokenAddress: fromTokenAddress, fromAddress: account });
        }
        return callFunction<R>("swap", { ...swapParams, toTokenAddress: toToken?.address, slippage });
      },
      params ?? {},
      null,
      options,
    ),
  );
  return { swap: fetch, ...call };
}

/** An NFT on one of OpenSea's networks (`mainnet`). */
export interface OpenSeaAssetParams {
  network?: string;
  tokenAddress?: string;
  tokenId?: string;
}

/** An NFT's data from OpenSea. */
export function useOpenSeaAsset<R = unknown>(params?: OpenSeaAssetParams, options?: AsyncCallOptions) {
  const given = { network: "mainnet", ...params };
  const { fetch, ...call } = usePlugin<OpenSeaAssetParams, R>("opensea", "getAsset", given, options);
  return { getAsset: fetch, ...call };
}

/** Selects the orders for an NFT. */
export interface OpenSeaOrdersParams extends OpenSeaAssetParams {
  /** 0 buys, 1 sells. */
  orderSide?: 0 | 1;
  page?: number;
}

/** The orders for an NFT at OpenSea. */
export function useOpenSeaOrders<R = unknown>(params?: OpenSeaOrdersParams, options?: AsyncCallOptions) {
  const given = { network: "mainnet", page: 1, ...params };
  const { fetch, ...call } = usePlugin<OpenSeaOrdersParams, R>("opensea", "getOrders", given, options);
  return { getOrders: fetch, ...call };
}

/** The parameters of a sell order. */
export interface OpenSeaSellOrderParams extends OpenSeaAssetParams {
  tokenType?: string;
  userAddress?: string;
  startAmount?: string | number;
  endAmount?: string | number;
  expirationTime?: number;
}

/** Creates a sell order at OpenSea. */
export function useOpenSeaSellOrder<R = unknown>(
  params?: OpenSeaSellOrderParams,
  options?: AsyncCallOptions,
) {
  const given = { network: "mainnet", ...params };
  const { fetch, ...call } = usePlugin<OpenSeaSellOrderParams, R>(
    "opensea",
    "createSellOrder",
    given,
    options,
  );
  return { createSellOrder: fetch, ...call };
}

/** The parameters of a buy order. */
export interface OpenSeaBuyOrderParams extends OpenSeaAssetParams {
  tokenType?: string;
  amount?: string | number;
  userAddress?: string;
  paymentTokenAddress?: string;
}

/** Creates a buy order at OpenSea. */
export function useOpenSeaBuyOrder<R = unknown>(params?: OpenSeaBuyOrderParams, options?: AsyncCallOptions) {
  const given = { network: "mainnet", ...params };
  const { fetch, ...call } = usePlugin<OpenSeaBuyOrderParams, R>("opensea", "createBuyOrder", given, options);
  return { createBuyOrder: fetch, ...call };
}

/** The coin to buy, and the receiving address. */
export interface FiatBuyParams {
  coin?: string;
  receiver?: string;
}

/** Buys crypto with fiat money. */
export function useFiatBuy<R = unknown>(params: FiatBuyParams = {}, options?: PluginOptions) {
  const { fetch, ...call } = usePlugin<FiatBuyParams, R>("fiat", "buy", params, options);
  return { buy: fetch, ...call };
}

/** The parameters of a lazy mint. */
export interface RaribleLazyMintParams {
  chain?: string;
  userAddress?: string;
  tokenType?: string;
  tokenUri?: string;
  supply?: string | number;
  royaltiesAmount?: string | number;
}

/** Creates a lazily minted NFT at Rarible. */
export function useRaribleLazyMint<R = unknown>(params?: RaribleLazyMintParams, options?: AsyncCallOptions) {
  const given = { chain: "eth", ...params };
  const { fetch, ...call } = usePlugin<RaribleLazyMintParams, R>("rarible", "lazyMint", given, options);
  return { lazyMint: fetch, ...call };
}

/** The assets to sell (`make…`) and to receive (`take…`). */
export interface RaribleSellOrderParams {
  chain?: string;
  userAddress?: string;
  makeTokenId?: string;
  makeTokenAddress?: string;
  makeAssetClass?: string;
  makeValue?: string | number;
  takeAssetClass?: string;
  takeValue?: string | number;
}

/** Creates a sell order at Rarible. */
export function useRaribleSellOrder<R = unknown>(
  params?: RaribleSellOrderParams,
  options?: AsyncCallOptions,
) {
  const given = { chain: "eth", ...params };
  const { fetch, ...call } = usePlugin<RaribleSellOrderParams, R>(
    "rarible",
    "createSellOrder",
    given,
    options,
  );
  return { createSellOrder: fetch, ...call };
}
