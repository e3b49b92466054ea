import { ErrorCode, type Moralis, type NftOwner } from "@purse/client";
import type { AppChain } from "../settings.ts";
import { batchCall } from "./batchCall.ts";

type Web3API = typeof Moralis.Web3API;

/** A coin or token balance of a wallet. */
export interface Asset {
  chain: AppChain;
  /** Token contract, lower-case hex; null for the native coin. */
  address: string | null;
  name: string;
  symbol: string;
  decimals: number;
  /** In the smallest unit. */
  balance: bigint;
  /** USD per whole unit; null if no pool has a price. */
  usdPrice: number | null;
  /** Whether the pools have too little liquidity for a price. */
  hasLowLiquidity: boolean;
  /** Whether the price request failed. */
  hasPriceFailed: boolean;
}

/** Prices are expensive for the server; further tokens have none. */
const MAX_PRICES = 30;

/** Reads the native coin and token balances of a wallet with their prices. */
export async function readHoldings(
  api: Web3API,
  address: string,
  chain: AppChain,
  options: { signal?: AbortSignal } = {},
): Promise<Asset[]> {
  const params = { address, chain: chain.hexId };
  const [native, tokens] = await Promise.all([
    api.account.getNativeBalance(params, options),
    api.account.getTokenBalances(params, options),
  ]);
  const prices = await readPrices(
    tokens.slice(0, MAX_PRICES).map((token) => ({ token: token.token_address })),
    chain,
    options,
  );
  const { name, symbol, decimals } = chain.nativeCurrency;
  const nativeUsdPrice = prices.find(({ price }) => price !== null)?.price?.nativeUsd ?? null;
  return [
    {
      chain,
      address: null,
      name,
      symbol,
      decimals,
      balance: BigInt(native.balance),
      usdPrice: nativeUsdPrice,
      hasLowLiquidity: false,
      hasPriceFailed: nativeUsdPrice === null && prices.some(({ hasFailed }) => hasFailed),
    },
    ...tokens.map((token, i) => ({
      chain,
      address: token.token_address,
      name: token.name ?? "",
      symbol: token.symbol ?? "",
      decimals: Number(token.decimals),
      balance: BigInt(token.balance),
      usdPrice: prices[i]?.price?.usd ?? null,
      hasLowLiquidity: prices[i]?.hasLowLiquidity ?? false,
      hasPriceFailed: prices[i]?.hasFailed ?? false,
    })),
  ];
}

export interface Price {
  usd: number;
  /** USD price of the native coin by the same pools. */
  nativeUsd: number | null;
}

/** The result of a price request. */
export interface PriceResult {
  /** Null if no pool trades the token, or the request failed. */
  price: Price | null;
  /** Whether the pools have too little liquidity for a price. */
  hasLowLiquidity: boolean;
  /** Whether the request failed. */
  hasFailed: boolean;
}

/** Reads token prices, current or at a past block. A failed request does not affect the others. */
export async function readPrices(
  requests: readonly { token: string; block?: number }[],
  chain: AppChain,
  options: { signal?: AbortSignal } = {},
): Promise<PriceResult[]> {
  const results = await batchCall(
    "getTokenPrice",
    requests.map(({ token, block }) => ({
      address: token,
      chain: chain.hexId,
      ...(block !== undefined && { to_block: block }),
    })),
    options,
  );
  return results.map((result) =>
    "result" in result
      ? { price: parsePrice(result.result), hasLowLiquidity: false, hasFailed: false }
      : {
          price: null,
          hasLowLiquidity: /below the minimum of/.test(result.message),
          hasFailed: !NO_PRICE_CODES.includes(result.code),
        },
  );
}

/** Codes that mean there is no price: not found, no exchange configured, or no archive node. */
const NO_PRICE_CODES: readonly number[] = [
  ErrorCode.OBJECT_NOT_FOUND,
  ErrorCode.COMMAND_UNAVAILABLE,
  ErrorCode.VALIDATION_ERROR,
];

function parsePrice(response: unknown): Price | null {
  const { usdPrice, nativePrice } = Object(response);
  if (!(usdPrice > 0)) return null;
  const { value, decimals } = Object(nativePrice);
  const inNative = Number(value) / 10 ** Number(decimals);
  return { usd: Number(usdPrice), nativeUsd: inNative > 0 ? Number(usdPrice) / inNative : null };
}

/** NFT metadata that is safe to display. */
export interface NftDisplay {
  name: string;
  description: string;
  /** Whether the metadata has an image, which the server resizes and sanitizes. */
  hasImage: boolean;
  /** The URL of the image, unless it is inline. */
  imageUrl: string | undefined;
}

export function nftDisplayOf(nft: Pick<NftOwner, "metadata" | "name" | "token_id">): NftDisplay {
  const metadata = parseMetadata(nft.metadata);
  const text = (name: string) => {
    const value: unknown = Reflect.get(metadata, name);
    return typeof value === "string" ? value : "";
  };
  const image = text("image") || text("image_url") || text("image_data");
  return {
    name: text("name").slice(0, 120) || `${nft.name || "NFT"} #${nft.token_id.slice(0, 12)}`,
    description: text("description").slice(0, 400),
    hasImage: image.trim() !== "",
    imageUrl: /^(https?|ipfs|ar):\/\//i.test(image) ? image : undefined,
  };
}

/** The URL of the server's sanitized, static image of an NFT. `round` bypasses the cache. */
export function nftImageUrl(
  { token_address, token_id }: Pick<NftOwner, "token_address" | "token_id">,
  chain: AppChain,
  width: 256 | 512,
  round = 0,
): string {
  const query = new URLSearchParams({ chain: chain.hexId, width: String(width) });
  if (round > 0) query.set("round", String(round));
  return `/api/v2/nft/${token_address}/${encodeURIComponent(token_id)}/image?${query}`;
}

function parseMetadata(text: string | null | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
