import type { Moralis } from "@purse/client";
import { getChain, hexChainId, resolveIPFS } from "./chains.ts";
import { type AsyncCallOptions, type AsyncWork, useShownCall, withoutSetData } from "./useAsyncCall.ts";
import { useMoralis } from "./useMoralis.ts";

export type Web3API = typeof Moralis.Web3API;
export type AccountApi = Web3API["account"];
export type ParamsOf<F extends (...args: never[]) => unknown> = NonNullable<Parameters<F>[0]>;
export type ResultOf<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>;

/*
 * Data of an account: of the connected wallet on its chain, unless the parameters name another
 * one. The hooks fetch automatically once a wallet is connected.
 */

interface AccountOnChain {
  chain?: string | number | undefined;
  address?: string | undefined;
}

type OnChain<P> = Partial<P> & { chain: string | number; address: string };

/** The operations for an account that need no other parameters. */
type AccountOperation = {
  [Name in keyof AccountApi]: OnChain<ParamsOf<AccountApi[Name]>> extends ParamsOf<AccountApi[Name]>
    ? Name
    : never;
}[keyof AccountApi];
type ParamsByName = { [Name in AccountOperation]: ParamsOf<AccountApi[Name]> };
type ResultsByName = { [Name in AccountOperation]: ResultOf<AccountApi[Name]> };
type AccountCalls = {
  readonly [Name in AccountOperation]: AsyncWork<ResultsByName[Name], OnChain<ParamsByName[Name]>>;
};

/** The parameters of an operation for an account. */
export type AccountParams<Name extends AccountOperation> = ParamsByName[Name];

/** The response of an operation of the data API for an account. */
export function useAccountData<Name extends AccountOperation>(
  operation: Name,
  params: AccountParams<Name> | undefined,
  options: AsyncCallOptions | undefined,
) {
  const calls: AccountCalls = useMoralis().Moralis.Web3API.account;
  const { chain: _, ...call } = useShownAccountCall<
    AccountParams<Name>,
    ResultsByName[Name],
    ResultsByName[Name]
  >(
    (given, signal) => calls[operation](given, signal),
    (result) => result,
    params,
    options,
    null,
  );
  return call;
}

/**
 * A data API call for an account, whose `data` is computed from the response by `show`; promises and callbacks receive
 * the response itself.
 */
function useShownAccountCall<P extends AccountOnChain, Raw, R, Initial = null>(
  work: (params: OnChain<P>, options: { signal?: AbortSignal }) => Promise<Raw>,
  show: (answer: Raw, params: OnChain<P>) => R,
  params: P | undefined,
  options: AsyncCallOptions | undefined,
  initial: Initial,
) {
  const { account, chainId } = useMoralis();
  const chain = params?.chain ?? chainId ?? "eth";
  const address = params?.address ?? account ?? "";
  const given: Partial<P> = params ?? {};
  const accountParams = { ...given, chain, address };
  const call = useShownCall<Raw, R, OnChain<P>, Initial>(work, show, accountParams, initial, {
    autoFetch: account !== null,
    ...options,
  });
  return { ...withoutSetData(call), chain };
}

/** The token balances of an account. */
export function useERC20Balances(params?: AccountParams<"getTokenBalances">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useAccountData("getTokenBalances", params, options);
  return { fetchERC20Balances: fetch, ...call };
}

/** The token transfers of an account. */
export function useERC20Transfers(params?: AccountParams<"getTokenTransfers">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useAccountData("getTokenTransfers", params, options);
  return { fetchERC20Transfers: fetch, ...call };
}

type Nfts = ResultOf<AccountApi["getNFTs"]>;
type Nft = Nfts["result"][number];
/** An NFT with its metadata parsed; `image` is an HTTP URL. Metadata that is not JSON stays a string. */
export type NftWithMetadata = Omit<Nft, "metadata"> & { metadata?: unknown; image?: string };
/** A page of NFTs with parsed metadata. */
export type NftBalances = Omit<Nfts, "result" | "next"> & { result: NftWithMetadata[] };

/** The NFTs of an account with their metadata. */
export function useNFTBalances(params?: ParamsOf<AccountApi["getNFTs"]>, options?: AsyncCallOptions) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useShownAccountCall<ParamsOf<AccountApi["getNFTs"]>, Nfts, NftBalances>(
    (given, signal) => Moralis.Web3API.account.getNFTs(given, signal),
    (found) => ({ ...found, result: found.result.map(withMetadata) }),
    params,
    options,
    null,
  );
  return { getNFTBalances: fetch, ...call };
}

function withMetadata(nft: Nft): NftWithMetadata {
  const metadata = parseJson(nft.metadata);
  if (typeof metadata !== "object" || metadata === null) return nft;
  const image: unknown = "image" in metadata ? metadata.image : undefined;
  return { ...nft, metadata, ...(typeof image === "string" && { image: resolveIPFS(image) }) };
}

function parseJson(text: string | null | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The metadata is written by the token's creator and need not be JSON.
    return undefined;
  }
}

/** The NFT transfers of an account. */
export function useNFTTransfers(params?: AccountParams<"getNFTTransfers">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useAccountData("getNFTTransfers", params, options);
  return { getNFTTransfers: fetch, ...call };
}

/** A native balance, raw and formatted. */
export interface FormattedBalance {
  /** In wei, decimal. */
  balance?: string;
  /** "1.234 ETH": at most four significant digits; null on a chain that is not in the list. */
  formatted: string | null;
}

const NO_BALANCE: FormattedBalance = Object.freeze({ formatted: null });

/** The native balance of an account. */
export function useNativeBalance(
  params?: ParamsOf<AccountApi["getNativeBalance"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const { fetch, chain, ...call } = useShownAccountCall<
    ParamsOf<AccountApi["getNativeBalance"]>,
    ResultOf<AccountApi["getNativeBalance"]>,
    FormattedBalance,
    FormattedBalance
  >(
    (given, signal) => Moralis.Web3API.account.getNativeBalance(given, signal),
    ({ balance }, given) => {
      const currency = currencyOf(given.chain);
      const amount = currency && Moralis.Units.FromWei(balance, currency.decimals);
      return { balance, formatted: currency && amount ? `${formatAmount(amount)} ${currency.symbol}` : null };
    },
    params,
    options,
    NO_BALANCE,
  );
  return { getBalances: fetch, nativeToken: currencyOf(chain), ...call };
}

/** Null for a chain that is not in the list or not specified by its id. */
function currencyOf(chain: string | number) {
  return getChain(hexChainId(chain))?.nativeCurrency ?? null;
}

function formatAmount(amount: string): string {
  return Number(amount).toLocaleString("en-US", { maximumSignificantDigits: 4, useGrouping: false });
}

/** The transactions of an account. */
export function useNativeTransactions(
  params?: ParamsOf<AccountApi["getTransactions"]>,
  options?: AsyncCallOptions,
) {
  const { Moralis } = useMoralis();
  const { fetch, chain, ...call } = useShownAccountCall(
    (given, signal) => Moralis.Web3API.account.getTransactions(given, signal),
    (found) => found,
    params,
    options,
    null,
  );
  // The spelling is that of react-moralis.
  return { getNativeTransations: fetch, chainId: chain, ...call };
}

type PriceApi = Web3API["token"]["getTokenPrice"];
/** A price, raw and formatted. */
export type TokenPrice = ResultOf<PriceApi> & { formattedUsd: string; formattedNative: string | null };

const DOLLARS = /* @__PURE__ */ new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** The price of the token at `address`, fetched automatically. */
export function useTokenPrice(params?: ParamsOf<PriceApi>, options?: AsyncCallOptions) {
  const { Moralis } = useMoralis();
  const {
    fetch,
    chain: _,
    ...call
  } = useShownAccountCall<ParamsOf<PriceApi>, ResultOf<PriceApi>, TokenPrice>(
    (given, signal) => Moralis.Web3API.token.getTokenPrice(given, signal),
    (price) => {
      const { nativePrice: native } = price;
      const amount = native && Moralis.Units.FromWei(native.value, native.decimals);
      return {
        ...price,
        formattedUsd: DOLLARS.format(price.usdPrice),
        formattedNative: native && amount ? `${formatAmount(amount)} ${native.symbol}` : null,
      };
    },
    params,
    { autoFetch: true, ...options },
    null,
  );
  return { fetchTokenPrice: fetch, ...call };
}
