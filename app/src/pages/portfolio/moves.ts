import type { Moralis } from "@purse/client";
import type { AppChain } from "../../settings.ts";

type Web3API = typeof Moralis.Web3API;

/** Something that has moved to or from an address. */
export interface Move {
  key: string;
  kind: "native" | "erc20" | "nft" | "call";
  chain: AppChain;
  hash: string;
  /** ms since 1970. */
  at: number;
  direction: "in" | "out" | "self";
  /** The other side; null where a contract was made. */
  other: string | null;
  /** Of a token. */
  contract: string | null;
  tokenId: string | null;
  /** In the smallest unit. */
  amount: bigint;
  failed: boolean;
  /** What is called, as its name or selector; null where nothing is. */
  method: string | null;
}

/** The newest moves of an address on a chain: its transactions, its tokens and its NFTs in one order. */
export async function readMoves(
  api: Web3API,
  address: string,
  chain: AppChain,
  limit: number,
  options: { signal?: AbortSignal } = {},
): Promise<{ moves: Move[]; more: boolean }> {
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
  const side = (from: string | null | undefined, to: string | null | undefined) => {
    const direction = from === to ? "self" : from === address ? "out" : "in";
    return { direction, other: (direction === "in" ? from : to) ?? null } as const;
  };
  const ofTokens = (tokens.result ?? []).map(
    (row, i): Move => ({
      ...side(row.from_address, row.to_address),
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
  const ofNfts = (nfts.result ?? []).map(
    (row): Move => ({
      ...side(row.from_address, row.to_address),
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
  const told = new Set([...ofTokens, ...ofNfts].map(({ hash }) => hash));
  const native = (sent.result ?? [])
    // What its tokens tell already is not told twice.
    .filter((row) => BigInt(row.value) > 0n || !told.has(row.hash))
    .map(
      (row): Move => ({
        ...side(row.from_address, row.to_address),
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
  // Below the oldest row of a list that goes on, the others would be told without it.
  const floor = Math.max(
    ...[native, ofTokens, ofNfts].map((rows, i) =>
      (pages[i]?.total ?? 0) > limit
        ? (rows.at(-1)?.at ?? Number.NEGATIVE_INFINITY)
        : Number.NEGATIVE_INFINITY,
    ),
  );
  const moves = [...native, ...ofTokens, ...ofNfts].filter(({ at }) => at >= floor);
  return { moves: moves.sort((a, b) => b.at - a.at), more: pages.some(({ total }) => total > limit) };
}

/** Below this many dollars something that comes is there to be seen, not to be had. */
const DUST = 0.01;

/**
 * Moves of nothing, or of next to nothing, are how look-alike addresses are put into histories: also in the name of
 * who looks, since anybody may have a token say that. `usd` is what the move is worth, where that is known.
 */
export function isNoise({ kind, amount, direction, method }: Move, usd: number | undefined): boolean {
  if (kind === "call" || kind === "nft") return false;
  if (amount === 0n) return direction !== "out" || method === null;
  return direction === "in" && usd !== undefined && usd < DUST;
}
