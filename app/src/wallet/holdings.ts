import { ErrorCode, type Moralis, type NftOwner } from "@purse/client";
import type { AppChain } from "../settings.ts";
import { batchCall } from "./batchCall.ts";

type Web3API = typeof Moralis.Web3API;

/** Something that a wallet holds an amount of. */
export interface Asset {
  chain: AppChain;
  /** The token's contract, lower-case hex; null for the chain's own coin. */
  address: string | null;
  name: string;
  symbol: string;
  decimals: number;
  /** In the smallest unit. */
  balance: bigint;
  /** US dollars for one whole; null where no pool has a price. */
  usdPrice: number | null;
  /** Whether it has no price because its pools hold too little for theirs to count. */
  hasLowLiquidity: boolean;
  /** Whether its price could not be read: it may well have one. */
  hasPriceFailed: boolean;
}

/** Prices cost the server the most; the rest is said to be without one. */
const MAX_PRICES = 30;

/** What a wallet has of a chain's coin and its tokens, with the prices that this server's pools have. */
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
  /** What one whole of the chain's own coin costs by the same pools. */
  nativeUsd: number | null;
}

/** What was found of a price. */
export interface PriceResult {
  /** Null where no pool trades the token, or none could be read. */
  price: Price | null;
  /** Whether the pools hold too little for their price to count. */
  hasLowLiquidity: boolean;
  /** Whether it could not be read. */
  hasFailed: boolean;
}

/** What tokens cost by the pools, now or in a block of the past. One that cannot be read takes nothing from the others. */
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
  return results.map((part) =>
    "result" in part
      ? { price: parsePrice(part.result), hasLowLiquidity: false, hasFailed: false }
      : {
          price: null,
          hasLowLiquidity: /are the least that counts/.test(part.message),
          hasFailed: !NO_PRICE_CODES.includes(part.code),
        },
  );
}

/** There is no price, no exchange is known, or the node does not keep the block: answers, all of them. */
const NO_PRICE_CODES: readonly number[] = [
  ErrorCode.OBJECT_NOT_FOUND,
  ErrorCode.COMMAND_UNAVAILABLE,
  ErrorCode.VALIDATION_ERROR,
];

function parsePrice(answer: unknown): Price | null {
  const { usdPrice, nativePrice } = Object(answer);
  if (!(usdPrice > 0)) return null;
  const { value, decimals } = Object(nativePrice);
  const inNative = Number(value) / 10 ** Number(decimals);
  return { usd: Number(usdPrice), nativeUsd: inNative > 0 ? Number(usdPrice) / inNative : null };
}

/** What an NFT's metadata says, as far as it is safe to show. */
export interface NftDisplay {
  name: string;
  description: string;
  /** Whether it names a picture, which the server makes small and harmless. */
  hasImage: boolean;
  /** Where the picture lies, if not in the metadata itself. */
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

/** The server's picture of an NFT: still, small, with nothing in it but pixels. `round` asks anew. */
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
