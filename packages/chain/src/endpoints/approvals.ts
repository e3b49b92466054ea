import { formatUnits } from "viem";
import { invalid } from "../model/requestErrors.ts";
import { blockOf, indexOf } from "../model/rows.ts";
import type { TokenMetadata } from "../model/tokens.ts";
import { getApprovals, getBalances } from "../node/tokens.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import { PriceUnavailableError } from "../prices/tokenPrice.ts";
import type { ApprovalKey } from "../store/approvals.ts";
import {
  type ChainContext,
  requireSynced,
  type SelectChain,
  selectFullIndex,
  withNodeErrors,
} from "./chainContext.ts";
import { erc20Labels } from "./erc20.ts";
import { keptFields } from "./eventRetention.ts";
import { blockFields, firstRows, pageFields } from "./pagination.ts";
import { readPrices } from "./prices.ts";
import type { Handlers } from "./routes.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";

/** Approvals whose state is read from the node. */
const MAX_APPROVALS = 2_000;
/** Tokens with open allowances whose price is read. */
const MAX_PRICES = 100;

/** An approval that is in effect. */
interface OpenApproval extends ApprovalKey {
  /** Allowance in the token's smallest unit; 1 for NFTs. */
  allowance: bigint;
}

/** Approvals of wallets: which were given is known from the index, what is left of them from the contracts. */
export function approvalHandlers(selectChain: SelectChain) {
  return {
    getWalletApprovals: async ({ chain: selector, address, token_addresses, limit, cursor }) => {
      const chain = await selectFullIndex(selectChain, selector, "the approvals of a wallet");
      requireSynced(chain);
      const given = await chain.store.approvals.ofOwner(address, token_addresses, MAX_APPROVALS + 1);
      if (given.length > MAX_APPROVALS) {
        throw invalid(
          `address has given more than ${MAX_APPROVALS} approvals: specify some tokens in token_addresses`,
        );
      }
      const { open, balances, block } = await readOpen(chain, address, given);
      const prices = await readUsdPrices(chain, open, balances);
      const metadata = await loadApprovedTokens(chain, open);
      const after = Number(cursor?.parts[0] ?? Number.POSITIVE_INFINITY);
      const rest = open.filter(({ position }) => position < after);
      const { rows: page, last } = firstRows(rest, limit);
      const logs = await chain.store.approvals.logsAt(page.map(({ position }) => position));
      const blocks = await chain.store.blocks(page.map(({ position }) => blockOf(position)));
      return {
        total: open.length,
        ...pageFields({ limit, cursor }, last && [last.position]),
        total_usd_at_risk: totalAtRisk(open, balances, metadata, prices),
        block_number: String(block),
        ...(await keptFields(chain)),
        result: page.map((approval) => {
          const token = metadata.get(approval.token);
          const balance = balances.get(approval.token) ?? 0n;
          return {
            approval_type: approvalType(approval.kind),
            transaction_hash: logs.get(approval.position)?.transactionHash ?? "",
            log_index: indexOf(approval.position),
            ...blockFields(blocks, approval.position),
            ...allowanceFields(approval.kind === "amount" ? approval.allowance : null, token?.decimals ?? 0),
            token: {
              address: approval.token,
              name: token?.name ?? "",
              symbol: token?.symbol ?? "",
              ...erc20Labels(chain, approval.token, token),
              decimals: approval.kind === "amount" ? (token?.decimals ?? null) : null,
              token_id: approval.tokenId === null ? null : BigInt(approval.tokenId).toString(),
              ...riskFields(approval, balance, token?.decimals ?? 0, prices.get(approval.token)),
            },
            spender: { address: approval.spender, address_label: null },
          };
        }),
      };
    },
  } satisfies Partial<Handlers>;
}

export function approvalType(kind: ApprovalKey["kind"]) {
  return ({ amount: "erc20", token: "nft", all: "nft_collection" } as const)[kind];
}

/** Many tokens never decrease an allowance of the largest value of its type; some have 96 bits. */
const UNLIMITED = 2n ** 255n;
const MAX_UINT96 = 2n ** 96n - 1n;

/** The fields of an allowance; null for NFTs. */
export function allowanceFields(allowance: bigint | null, decimals: number) {
  const isUnlimited = allowance === null || allowance >= UNLIMITED || allowance === MAX_UINT96;
  return {
    value: allowance === null ? null : allowance.toString(),
    value_formatted: allowance === null ? null : formatUnits(allowance, decimals),
    is_unlimited: allowance !== null && isUnlimited,
  };
}

/** Reads which approvals are in effect at the latest block, and the balances behind them by token. */
async function readOpen(
  chain: ChainContext,
  owner: string,
  given: readonly ApprovalKey[],
): Promise<{ open: OpenApproval[]; balances: Map<string, bigint>; block: number }> {
  const { block, open, tokens, balances } = await withNodeErrors(chain, undefined, async () => {
    const block = await chain.node.getBlockNumber();
    const allowances = await getApprovals(chain.node, owner, given, block);
    const open = given.flatMap((approval, i): OpenApproval[] => {
      const allowance = allowances[i] ?? 0n;
      return allowance > 0n ? [{ ...approval, allowance }] : [];
    });
    const tokens = [...new Set(open.flatMap(({ kind, token }) => (kind === "amount" ? [token] : [])))];
    const balances = await getBalances(chain.node, owner, tokens, block);
    return { block, open, tokens, balances };
  });
  const byToken = new Map(tokens.map((token, i) => [token, balances[i] ?? 0n]));
  const collections = new Set(open.flatMap(({ kind, token }) => (kind === "all" ? [token] : [])));
  const counts = await Promise.all([...collections].map((token) => countNfts(chain, owner, token)));
  for (const [i, token] of [...collections].entries()) byToken.set(token, counts[i] ?? 0n);
  return { open, balances: byToken, block };
}

/** The number of NFTs of a collection that a wallet owns; of ERC-1155 tokens, the number of their ids. */
async function countNfts(chain: ChainContext, owner: string, token: string): Promise<bigint> {
  const { total } = await chain.store.nftBalances.listBalances(
    { owner, tokens: [token] },
    { offset: 0, limit: 0 },
  );
  return BigInt(total);
}

/** The prices of the tokens of which something is at risk; those without one are missing. */
async function readUsdPrices(
  chain: ChainContext,
  open: readonly OpenApproval[],
  balances: ReadonlyMap<string, bigint>,
): Promise<Map<string, number>> {
  const { exchanges } = marketOf(chain.config);
  const atRisk = open.filter(({ kind, token }) => kind === "amount" && (balances.get(token) ?? 0n) > 0n);
  const tokens = [...new Set(atRisk.map(({ token }) => token))].slice(0, MAX_PRICES);
  if (tokens.length === 0 || exchanges.length === 0) return new Map();
  const { prices } = await readPrices(chain, { tokens, exchanges });
  return new Map(
    [...prices].flatMap(([token, price]) =>
      price instanceof PriceUnavailableError ? [] : [[token, price.usd] as const],
    ),
  );
}

async function loadApprovedTokens(
  chain: ChainContext,
  open: readonly OpenApproval[],
): Promise<Map<string, TokenMetadata>> {
  const addressesOf = (isErc20: boolean) => [
    ...new Set(open.flatMap(({ kind, token }) => ((kind === "amount") === isErc20 ? [token] : []))),
  ];
  const [tokens, collections] = await Promise.all([
    loadTokenMetadata(chain, addressesOf(true), 20),
    loadTokenMetadata(chain, addressesOf(false), 721),
  ]);
  return new Map([...collections, ...tokens]);
}

function riskFields(
  { kind, allowance }: OpenApproval,
  balance: bigint,
  decimals: number,
  price: number | undefined,
) {
  if (kind !== "amount") {
    const count = kind === "token" ? 1n : balance;
    return {
      current_balance: count.toString(),
      current_balance_formatted: count.toString(),
      amount_at_risk: count.toString(),
      usd_price: null,
      usd_at_risk: null,
    };
  }
  const atRisk = allowance < balance ? allowance : balance;
  return {
    current_balance: balance.toString(),
    current_balance_formatted: formatUnits(balance, decimals),
    amount_at_risk: atRisk.toString(),
    usd_price: price ?? null,
    usd_at_risk: price === undefined ? null : Number(formatUnits(atRisk, decimals)) * price,
  };
}

/** The value that all spenders together could take: of each token at most the balance. */
function totalAtRisk(
  open: readonly OpenApproval[],
  balances: ReadonlyMap<string, bigint>,
  metadata: ReadonlyMap<string, TokenMetadata>,
  prices: ReadonlyMap<string, number>,
): number {
  let total = 0;
  for (const [token, price] of prices) {
    const allowed = open.reduce(
      (sum, each) => (each.token === token && each.kind === "amount" ? sum + each.allowance : sum),
      0n,
    );
    const balance = balances.get(token) ?? 0n;
    const atRisk = allowed < balance ? allowed : balance;
    total += Number(formatUnits(atRisk, metadata.get(token)?.decimals ?? 0)) * price;
  }
  return total;
}
