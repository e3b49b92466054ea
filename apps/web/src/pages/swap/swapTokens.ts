import { type Erc20Metadata, Web3API } from "@purse/client";
import type { AppChain } from "../../settings.ts";
import { readSendables, type Sendable } from "../send/sendable.ts";

/** Reads the coins and tokens of a wallet, and the wrapped coin, which it may not have. */
export async function readSwapTokens(
  address: string,
  chain: AppChain,
  options: { signal?: AbortSignal } = {},
): Promise<Sendable[]> {
  const { wrappedNative } = chain;
  const [assets, wrapped] = await Promise.all([
    readSendables(Web3API, address, chain, options),
    wrappedNative === null ? [] : findTokens(wrappedNative, chain, options),
  ]);
  const owned = assets.filter(({ type }) => type === "native" || type === "erc20");
  return [...owned, ...wrapped.filter(({ key }) => owned.every((each) => each.key !== key))];
}

/** Finds tokens by a name, a symbol or an address. Their balances count as 0. */
export async function findTokens(
  text: string,
  chain: AppChain,
  options: { signal?: AbortSignal } = {},
): Promise<Sendable[]> {
  const isAddress = /^0x[0-9a-f]{40}$/i.test(text);
  const found = isAddress
    ? await Web3API.token.getTokenMetadata({ chain: chain.hexId, addresses: [text.toLowerCase()] }, options)
    : await Web3API.token.searchTokens({ chain: chain.hexId, query: text }, options);
  return found.flatMap((token) => (token.decimals === null ? [] : [toSendable(token)]));
}

function toSendable({ address, symbol, name, decimals }: Erc20Metadata): Sendable {
  const unit = symbol.slice(0, 16) || "units";
  return {
    key: address,
    type: "erc20",
    label: `${unit} · ${name.slice(0, 40)}`,
    unit,
    decimals: Number(decimals ?? 0),
    balance: 0n,
    usdPrice: null,
    contract: address,
    tokenId: null,
  };
}
