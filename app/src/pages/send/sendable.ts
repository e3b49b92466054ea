import type { Moralis, NftOwner, TransferOptions } from "@purse/client";
import { exactAmount } from "../../money/amount.ts";
import type { AppChain } from "../../settings.ts";
import { type Asset, nftDisplayOf, readHoldings } from "../../wallet/holdings.ts";

type Web3API = typeof Moralis.Web3API;

/** Something that can be sent. */
export interface Sendable {
  /** As the URL names it: `native`, a token's address, an NFT's address and number. */
  key: string;
  type: "native" | "erc20" | "erc721" | "erc1155";
  label: string;
  /** What stands behind an amount. */
  unit: string;
  decimals: number;
  balance: bigint;
  usdPrice: number | null;
  /** Whether its price could not be read: it may well have one. */
  hasPriceFailed: boolean;
  contract: string | null;
  tokenId: string | null;
}

/** All that a wallet has to send on a chain: its coin, its tokens, its NFTs. */
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

function fromAsset({ address, name, symbol, decimals, balance, usdPrice, hasPriceFailed }: Asset): Sendable {
  const unit = symbol.slice(0, 16) || "units";
  return {
    key: address ?? "native",
    type: address === null ? "native" : "erc20",
    label: address === null ? unit : `${unit} · ${name.slice(0, 40)}`,
    unit,
    decimals,
    balance,
    usdPrice,
    hasPriceFailed,
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
    label: isSingle ? `NFT · ${name.slice(0, 50)}` : `NFT · ${name.slice(0, 50)} × ${nft.amount ?? 1}`,
    unit: name.slice(0, 50),
    decimals: 0,
    balance: BigInt(nft.amount ?? 1),
    usdPrice: null,
    hasPriceFailed: false,
    contract: nft.token_address,
    tokenId: nft.token_id,
  };
}

/** What the client's `transfer` is told. */
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

/** "1.5 ETH", or the NFT's name. */
export function formatSendAmount(item: Sendable, amount: bigint): string {
  return item.type === "erc721" ? item.unit : `${exactAmount(amount, item.decimals)} ${item.unit}`;
}
