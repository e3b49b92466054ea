import type { Moralis, NftOwner, TransferOptions } from "@purse/client";
import { formatExactAmount } from "../../money/amount.ts";
import type { AppChain } from "../../settings.ts";
import { type Asset, nftDisplayOf, readHoldings } from "../../wallet/holdings.ts";

type Web3API = typeof Moralis.Web3API;

/** An asset that can be sent. */
export interface Sendable {
  /** As in the URL: `native`, a token address, or an NFT address and ID. */
  key: string;
  type: "native" | "erc20" | "erc721" | "erc1155";
  label: string;
  /** The unit of amounts. */
  unit: string;
  decimals: number;
  balance: bigint;
  usdPrice: number | null;
  contract: string | null;
  tokenId: string | null;
}

/** Reads the assets of a wallet on a chain: coin, tokens and NFTs. */
export async function readSendables(
  api: Web3API,
  address: string,
  chain: AppChain,
  options: { signal?: AbortSignal } = {},
): Promise<Sendable[]> {
  const [assets, nfts] = await Promise.all([
    readHoldings(api, address, chain, options),
    api.account.getNFTs({ address, chain: chain.hexId, limit: 100 }, options),
  ]);
  const ownedAssets = assets.filter((asset) => asset.address === null || asset.balance > 0n);
  return [...ownedAssets.map(fromAsset), ...(nfts.result ?? []).map(fromNft)];
}

function fromAsset({ address, name, symbol, decimals, balance, usdPrice }: Asset): Sendable {
  const unit = symbol.slice(0, 16) || "units";
  return {
    key: address ?? "native",
    type: address === null ? "native" : "erc20",
    label: address === null ? unit : `${unit} · ${name.slice(0, 40)}`,
    unit,
    decimals,
    balance,
    usdPrice,
    contract: address,
    tokenId: null,
  };
}

function fromNft(nft: NftOwner): Sendable {
  const isSingle = nft.contract_type !== "ERC1155";
  const { name } = nftDisplayOf(nft);
  return {
    key: `${nft.token_address}/${nft.token_id}`,
    type: isSingle ? "erc721" : "erc1155",
    label: `NFT · ${name.slice(0, 50)}`,
    unit: name.slice(0, 50),
    decimals: 0,
    balance: BigInt(nft.amount ?? 1),
    usdPrice: null,
    contract: nft.token_address,
    tokenId: nft.token_id,
  };
}

/** The options for the client's `transfer`. */
export function transferOf(item: Sendable, receiver: string, amount: bigint): TransferOptions {
  const { type, contract, tokenId } = item;
  return {
    type,
    receiver,
    ...(type !== "erc721" && { amount: amount.toString() }),
    ...(contract !== null && { contractAddress: contract }),
    ...(tokenId !== null && { tokenId }),
  };
}

/** "1.5 ETH", or the name of an NFT. */
export function formatSendAmount(item: Sendable, amount: bigint, language: string): string {
  return item.type === "erc721"
    ? item.unit
    : `${formatExactAmount(amount, item.decimals, language)} ${item.unit}`;
}
