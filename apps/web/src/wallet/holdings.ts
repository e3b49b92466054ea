import { ErrorCode, type Moralis, type NftOwner, type WalletToken } from "@purse/client";
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
  /** The price 24 hours before; null if unknown. */
  usdDayBefore: number | null;
  /** Whether the pools have too little liquidity for a price. */
  hasLowLiquidity: boolean;
  /** Whether the server reports the token as possible spam. */
  isPossibleSpam: boolean;
}

/** Rows per request, and max requests: the most valuable tokens come first. */
const PAGE_SIZE = 500;
const MAX_PAGES = 4;

/** Reads the native coin, which comes first, and the token balances of a wallet with their prices. */
export async function readHoldings(
  api: Web3API,
  address: string,
  chain: AppChain,
  options: { signal?: AbortSignal } = {},
): Promise<Asset[]> {
  const rows: WalletToken[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && cursor !== ""; page++) {
    const params = { address, chain: chain.hexId, limit: PAGE_SIZE, ...(cursor && { cursor }) };
    const found = await api.account.getWalletTokenBalancesPrice(params, options);
    rows.push(...found.result);
    cursor = found.cursor ?? "";
  }
  const { name, symbol, decimals } = chain.nativeCurrency;
  const assets = rows.map((row): Asset => {
    const { usd_price: price, usd_price_24hr_usd_change: change } = row;
    return {
      chain,
      ...(row.native_token
        ? { address: null, name, symbol, decimals }
        : { address: row.token_address, name: row.name, symbol: row.symbol, decimals: row.decimals ?? 0 }),
      balance: BigInt(row.balance),
      usdPrice: price,
      usdDayBefore: price === null || change === null ? null : price - change,
      hasLowLiquidity: isLowLiquidity(row.no_price_reason ?? ""),
      isPossibleSpam: row.possible_spam === true,
    };
  });
  return [
    ...assets.filter((each) => each.address === null),
    ...assets.filter((each) => each.address !== null),
  ];
}

/** Whether the server has no price because the pools are too small. */
function isLowLiquidity(reason: string): boolean {
  return /below the minimum of/.test(reason);
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
  /** Whether the request failed. */
  hasFailed: boolean;
}

/** Reads token prices at past blocks. A failed request does not affect the others. */
export async function readPrices(
  requests: readonly { token: string; block: number }[],
  chain: AppChain,
  options: { signal?: AbortSignal } = {},
): Promise<PriceResult[]> {
  const results = await batchCall(
    "getTokenPrice",
    requests.map(({ token, block }) => ({ address: token, chain: chain.hexId, to_block: block })),
    options,
  );
  return results.map((result) =>
    "result" in result
      ? { price: parsePrice(result.result), hasFailed: false }
      : { price: null, hasFailed: !NO_PRICE_CODES.includes(result.error.code) },
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
