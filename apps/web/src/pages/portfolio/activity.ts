import type { Moralis } from "@purse/client";
import type { AppChain } from "../../settings.ts";

type Web3API = typeof Moralis.Web3API;

/** A transfer or call of an address. */
export interface ActivityItem {
  key: string;
  kind: "native" | "erc20" | "nft" | "call";
  chain: AppChain;
  hash: string;
  /** ms since 1970. */
  at: number;
  direction: "in" | "out" | "self";
  /** Null for a contract creation. */
  counterparty: string | null;
  /** The token contract. */
  contract: string | null;
  tokenId: string | null;
  /** In the smallest unit. */
  amount: bigint;
  failed: boolean;
  /** The name or selector of the called function, if any. */
  method: string | null;
}

/** Reads the latest activity of an address on a chain: transactions, token and NFT transfers, sorted by time. */
export async function readActivity(
  api: Web3API,
  address: string,
  chain: AppChain,
  limit: number,
  options: { signal?: AbortSignal } = {},
): Promise<{ items: ActivityItem[]; hasMore: boolean }> {
  const params = { address, chain: chain.hexId, limit };
  const [{ methodOf }, sent, tokens, nfts] = await Promise.all([
    import("../explorer/abi/decode.ts"),
    api.account.getTransactions(params, options),
    api.account.getTokenTransfers(params, options),
    api.account.getNFTTransfers(params, options),
  ]);
  const methods = new Map(
    (sent.result ?? []).flatMap(({ hash, input }) => {
      const method = methodOf(input);
      return method === undefined ? [] : [[hash, method] as const];
    }),
  );
  const sideOf = (from: string | null | undefined, to: string | null | undefined) => {
    const direction = from === to ? "self" : from === address ? "out" : "in";
    return { direction, counterparty: (direction === "in" ? from : to) ?? null } as const;
  };
  const tokenItems = (tokens.result ?? []).map(
    (row, i): ActivityItem => ({
      ...sideOf(row.from_address, row.to_address),
      key: `${row.transaction_hash}/erc20/${i}`,
      kind: "erc20",
      chain,
      hash: row.transaction_hash,
      at: Date.parse(row.block_timestamp),
      contract: row.address,
      tokenId: null,
      amount: BigInt(row.value),
      failed: false,
      method: methods.get(row.transaction_hash) ?? null,
    }),
  );
  const nftItems = (nfts.result ?? []).map(
    (row): ActivityItem => ({
      ...sideOf(row.from_address, row.to_address),
      key: `${row.transaction_hash}/nft/${row.log_index}/${row.token_id}`,
      kind: "nft",
      chain,
      hash: row.transaction_hash,
      at: Date.parse(row.block_timestamp),
      contract: row.token_address,
      tokenId: row.token_id,
      amount: BigInt(row.amount ?? 1),
      failed: false,
      method: methods.get(row.transaction_hash) ?? null,
    }),
  );
  const covered = new Set([...tokenItems, ...nftItems].map(({ hash }) => hash));
  const nativeItems = (sent.result ?? [])
    // Skips transactions that are covered by their token transfers.
    .filter((row) => BigInt(row.value) > 0n || !covered.has(row.hash))
    .map(
      (row): ActivityItem => ({
        ...sideOf(row.from_address, row.to_address),
        key: `${row.hash}/native`,
        kind: BigInt(row.value) > 0n ? "native" : "call",
        chain,
        hash: row.hash,
        at: Date.parse(row.block_timestamp),
        contract: null,
        tokenId: null,
        amount: BigInt(row.value),
        failed: row.receipt_status === "0",
        method: methods.get(row.hash) ?? null,
      }),
    );
  const pages = [sent, tokens, nfts];
  // Below the oldest row of an incomplete list, the history would have gaps.
  const floor = Math.max(
    ...[nativeItems, tokenItems, nftItems].map((rows, i) =>
      (pages[i]?.total ?? 0) > limit
        ? (rows.at(-1)?.at ?? Number.NEGATIVE_INFINITY)
        : Number.NEGATIVE_INFINITY,
    ),
  );
  const items = [...nativeItems, ...tokenItems, ...nftItems].filter(({ at }) => at >= floor);
  return { items: items.sort((a, b) => b.at - a.at), hasMore: pages.some(({ total }) => total > limit) };
}

/** Incoming transfers below this USD value are noise. */
const DUST_USD = 0.01;

/**
 * Whether a transfer is likely address poisoning: of zero or nearly zero value, even in the user's name, because any
 * token can emit such transfers. `usd` is its value, if known.
 */
export function isNoise({ kind, amount, direction, method }: ActivityItem, usd: number | undefined): boolean {
  if (kind === "call" || kind === "nft") return false;
  if (amount === 0n) return direction !== "out" || method === null;
  return direction === "in" && usd !== undefined && usd < DUST_USD;
}
