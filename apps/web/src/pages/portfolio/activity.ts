import type { Moralis, WalletHistoryEntry } from "@purse/client";
import { fiatValue } from "../../money/fiat.ts";
import type { AppChain } from "../../settings.ts";
import type { Asset } from "../../wallet/holdings.ts";

type Web3API = typeof Moralis.Web3API;

/** A transaction of the history of an address. */
export interface Activity {
  chain: AppChain;
  entry: WalletHistoryEntry;
  /** ms since 1970. */
  at: number;
}

/** Rows per request. */
const PAGE_SIZE = 50;

/** Reads the latest history of an address on a chain, newest first, until there are `limit` entries. */
export async function readActivity(
  api: Web3API,
  address: string,
  chain: AppChain,
  limit: number,
  options: { signal?: AbortSignal } = {},
): Promise<{ items: Activity[]; hasMore: boolean }> {
  const items: Activity[] = [];
  let cursor: string | undefined;
  do {
    const params = {
      address,
      chain: chain.hexId,
      limit: Math.min(limit, PAGE_SIZE),
      ...(cursor && { cursor }),
    };
    const page = await api.account.getWalletHistory(params, options);
    for (const entry of page.result) items.push({ chain, entry, at: Date.parse(entry.block_timestamp) });
    cursor = page.cursor || undefined;
  } while (cursor && items.length < limit);
  return { items, hasMore: cursor !== undefined };
}

/** Combines the histories of several chains, newest first, as far back as all of them are known. */
export function combineActivity(pages: readonly { items: Activity[]; hasMore: boolean }[]): {
  items: Activity[];
  hasMore: boolean;
} {
  const ends = pages.flatMap(({ items, hasMore }) => (hasMore ? [items.at(-1)?.at ?? 0] : []));
  const floor = Math.max(Number.NEGATIVE_INFINITY, ...ends);
  const items = pages.flatMap((page) => page.items).filter(({ at }) => at >= floor);
  return { items: items.sort((a, b) => b.at - a.at), hasMore: ends.length > 0 };
}

/** An amount that an entry moved or approved. */
export interface Movement {
  key: string;
  direction: "send" | "receive" | "self";
  /** Token contract; null for the native coin. */
  token: string | null;
  symbol: string;
  decimals: number;
  amount: bigint;
  /** For NFTs. */
  tokenId: string | null;
}

/** The transfers of an entry: native coins, tokens and NFTs. */
export function movementsOf({ chain, entry }: Activity): Movement[] {
  return [
    ...entry.native_transfers.map(({ direction, value }) => ({
      key: "native",
      direction,
      token: null,
      symbol: chain.nativeCurrency.symbol,
      decimals: chain.nativeCurrency.decimals,
      amount: BigInt(value),
      tokenId: null,
    })),
    ...entry.erc20_transfers.map((row) => ({
      key: `erc20/${row.log_index}`,
      direction: row.direction,
      token: row.address,
      symbol: row.token_symbol || "units",
      decimals: Number(row.token_decimals ?? 0),
      amount: BigInt(row.value),
      tokenId: null,
    })),
    ...entry.nft_transfers.map((row) => ({
      key: `nft/${row.log_index}/${row.token_id}`,
      direction: row.direction,
      token: row.token_address,
      symbol: row.name || "NFT",
      decimals: 0,
      amount: BigInt(row.amount),
      tokenId: row.token_id,
    })),
  ];
}

/** The counterparty of an entry: the other party of its first transfer, a spender, or a contract. */
export function counterpartyOf({ entry }: Activity): string | null {
  const [approval] = entry.approvals;
  if (approval && (entry.category === "approve" || entry.category === "revoke"))
    return approval.spender_address;
  const transfers = [...entry.nft_transfers, ...entry.erc20_transfers, ...entry.native_transfers];
  if (entry.category.endsWith("send"))
    return transfers.find(({ direction }) => direction !== "receive")?.to_address ?? null;
  if (entry.category.endsWith("receive"))
    return transfers.find(({ direction }) => direction === "receive")?.from_address ?? null;
  return entry.receipt_contract_address ?? entry.to_address;
}

/** Incoming transfers below this USD value are noise. */
const DUST_USD = 0.01;

/**
 * Whether an entry is likely address poisoning: another account's transaction whose transfers all have no or nearly no
 * value, even those in the user's name, because any token can emit them.
 */
export function isNoise(activity: Activity, address: string, assets: readonly Asset[]): boolean {
  const { chain, entry } = activity;
  if (entry.from_address === address || entry.approvals.length > 0) return false;
  const movements = movementsOf(activity);
  return (
    movements.length > 0 &&
    movements.every(({ amount, direction, token, tokenId, decimals }) => {
      if (tokenId !== null) return false;
      if (amount === 0n) return true;
      const price = assets.find((each) => each.chain === chain && each.address === token)?.usdPrice;
      return direction === "receive" && !!price && fiatValue(amount, decimals, price) < DUST_USD;
    })
  );
}
