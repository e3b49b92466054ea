import { methodOf } from "@purse/protocol";
import { NULL_ADDRESS, type TransactionRow } from "../../model/rows.ts";
import type { LoggedApproval } from "./approvalLog.ts";

/** What a transaction did to a wallet. The values are those of the Moralis API, with `deploy` and `failed`. */
export const CATEGORIES = [
  "send",
  "receive",
  "token send",
  "token receive",
  "nft send",
  "nft receive",
  "token swap",
  "nft purchase",
  "nft sale",
  "mint",
  "burn",
  "deposit",
  "withdraw",
  "approve",
  "revoke",
  "deploy",
  "failed",
  "contract interaction",
] as const;
export type Category = (typeof CATEGORIES)[number];

interface Parties {
  from: string;
  to: string;
}

/** A transfer of a token from or to the wallet; its amount in the smallest unit. */
interface Transfer extends Parties {
  token: string;
  value: string;
}

/** A transfer of an NFT from or to the wallet. */
interface NftTransfer extends Parties {
  token: string;
  tokenId: string;
  amount: string;
}

/** A transaction with all that it did to a wallet. */
export interface WalletTransaction {
  wallet: string;
  transaction: Pick<TransactionRow, "from" | "to" | "contract" | "value" | "input" | "status">;
  /** Native coins that contracts sent from or to the wallet, as far as known. */
  internal: readonly (Parties & { value: string })[];
  erc20: readonly Transfer[];
  nfts: readonly NftTransfer[];
  approvals: readonly LoggedApproval[];
  /** Sales of NFTs on known marketplaces. */
  trades: readonly { seller: string; buyer: string }[];
  /** Whether a pool of an exchange logged a trade. */
  hasSwap: boolean;
  /** The contract of the wrapped native coin. */
  wrappedNative: string | undefined;
}

const DEPOSIT_METHODS = /^(deposit|stake|supply|addLiquidity|repay)/;
const WITHDRAW_METHODS = /^(withdraw|unstake|redeem|removeLiquidity|claim|getReward|harvest|exit)/;

/** Finds the category of a transaction for a wallet. */
export function classify(activity: WalletTransaction): Category {
  const { wallet, transaction, erc20, nfts, approvals, trades, hasSwap, wrappedNative } = activity;
  const isSender = transaction.from === wallet;
  if (transaction.status === 0) return "failed";
  if (transaction.to === null && (isSender || transaction.contract === wallet)) return "deploy";
  if (trades.some(({ buyer }) => buyer === wallet)) return "nft purchase";
  if (trades.some(({ seller }) => seller === wallet)) return "nft sale";

  const { paid, wasPaid } = coinMovements(activity);
  const { sent, received } = netMovements(
    erc20,
    wallet,
    ({ token }) => token,
    ({ value }) => value,
  );
  const { sent: nftsSent, received: nftsReceived } = netMovements(
    nfts,
    wallet,
    ({ token, tokenId }) => token + tokenId,
    ({ amount }) => amount,
  );
  const isMint = ({ from }: Parties) => from === NULL_ADDRESS;
  const isBurn = ({ to }: Parties) => to === NULL_ADDRESS;
  const method = methodOf(transaction.input) ?? "";

  if (isSender && transaction.to === wrappedNative && erc20.length === 1) {
    if (paid && received.length === 1) return "deposit";
    if (sent.some(isBurn)) return "withdraw";
  }
  const hasPaid = paid || sent.length > 0;
  const hasReceived = wasPaid || received.length > 0;
  if (nftsReceived.some(isMint)) return "mint";
  if (nftsReceived.length > 0 && nftsSent.length === 0 && hasPaid && !hasReceived) return "nft purchase";
  if (nftsSent.length > 0 && nftsReceived.length === 0 && hasReceived && !hasPaid) return "nft sale";
  if (nfts.length === 0 && hasPaid && hasReceived) {
    if (received.every(isMint) && !hasSwap && !wasPaid) return paid && sent.length === 0 ? "mint" : "deposit";
    if (sent.length > 0 && sent.every(isBurn) && !hasSwap && !paid) return "withdraw";
    return "token swap";
  }
  if (nfts.length === 0 && isSender && hasPaid && hasSwap) return "token swap";
  if (isSender && hasPaid && !hasReceived && nfts.length === 0 && DEPOSIT_METHODS.test(method))
    return "deposit";
  if (isSender && !hasPaid && WITHDRAW_METHODS.test(method) && (hasReceived || nftsReceived.length > 0))
    return "withdraw";
  if (received.length > 0 && received.every(isMint) && !hasPaid && nfts.length === 0) return "mint";
  const burnt = [...sent, ...nftsSent];
  if (burnt.length > 0 && burnt.every(isBurn) && !hasReceived && nftsReceived.length === 0) return "burn";
  return (
    categoryOfTransfers(activity, { sent, received, nftsSent, nftsReceived, paid, wasPaid }) ??
    categoryOfApprovals(approvals) ??
    "contract interaction"
  );
}

/** Whether the wallet has fewer or more native coins than before; a refund is a part of what was paid. */
function coinMovements({ wallet, transaction, internal }: WalletTransaction) {
  const { from, to, value } = transaction;
  const isSender = from === wallet;
  // The value that another sends to a contract is taken to reach the wallet.
  let [out, into] = [isSender && to !== wallet ? BigInt(value) : 0n, isSender ? 0n : BigInt(value)];
  for (const each of internal) {
    if (each.from === wallet && each.to !== wallet) out += BigInt(each.value);
    if (each.to === wallet && each.from !== wallet) into += BigInt(each.value);
  }
  return { paid: out > into, wasPaid: into > out };
}

/**
 * The transfers of what the wallet has less or more of than before. Of tokens that move in both directions, as with a
 * refund or a flash loan, only the difference counts.
 */
function netMovements<Item extends Parties>(
  transfers: readonly Item[],
  wallet: string,
  keyOf: (transfer: Item) => string,
  amountOf: (transfer: Item) => string,
): { sent: Item[]; received: Item[] } {
  const sent = transfers.filter(({ from, to }) => from === wallet && to !== wallet);
  const received = transfers.filter(({ from, to }) => to === wallet && from !== wallet);
  if (sent.length === 0 || received.length === 0) return { sent, received };
  const [out, into] = [sent, received].map((all) => {
    const sums = new Map<string, bigint>();
    for (const each of all) sums.set(keyOf(each), (sums.get(keyOf(each)) ?? 0n) + BigInt(amountOf(each)));
    return sums;
  });
  /** The difference; undefined for what moves in one direction. */
  const difference = (transfer: Item) => {
    const [less, more] = [out?.get(keyOf(transfer)), into?.get(keyOf(transfer))];
    return less === undefined || more === undefined ? undefined : more - less;
  };
  return {
    sent: sent.filter((each) => (difference(each) ?? -1n) < 0n),
    received: received.filter((each) => (difference(each) ?? 1n) > 0n),
  };
}

interface Movements {
  sent: readonly Parties[];
  received: readonly Parties[];
  nftsSent: readonly Parties[];
  nftsReceived: readonly Parties[];
  /** Whether the wallet paid or received native coins. */
  paid: boolean;
  wasPaid: boolean;
}

/** The category of plain transfers in one direction; undefined if there are none, or in several. */
function categoryOfTransfers(
  { wallet, transaction: { from, to, value, input }, erc20, nfts }: WalletTransaction,
  { sent, received, nftsSent, nftsReceived, paid, wasPaid }: Movements,
): Category | undefined {
  const isOut = paid || sent.length > 0 || nftsSent.length > 0;
  const isIn = wasPaid || received.length > 0 || nftsReceived.length > 0;
  if (isOut && isIn) return undefined;
  if (nftsSent.length > 0) return "nft send";
  if (nftsReceived.length > 0) return "nft receive";
  if (sent.length > 0) return "token send";
  if (received.length > 0) return "token receive";
  const isBoth = (each: Parties) => each.from === wallet && each.to === wallet;
  if (nfts.some(isBoth)) return "nft send";
  if (erc20.some(isBoth)) return "token send";
  if (wasPaid) return "receive";
  // Coins that are paid with a call belong to that call.
  const isPlain = input.length < 10;
  return isPlain && from === wallet && to !== null && (paid || BigInt(value) > 0n) ? "send" : undefined;
}

function categoryOfApprovals(approvals: readonly LoggedApproval[]): Category | undefined {
  if (approvals.length === 0) return undefined;
  return approvals.every(({ isRevoked }) => isRevoked) ? "revoke" : "approve";
}
