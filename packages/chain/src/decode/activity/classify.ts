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

/** A transfer of a token or NFT from or to the wallet. */
interface Transfer {
  token: string;
  from: string;
  to: string;
}

/** A transaction with all that it did to a wallet. */
export interface WalletTransaction {
  wallet: string;
  transaction: Pick<TransactionRow, "from" | "to" | "value" | "input" | "status">;
  /** Native coins that contracts sent from or to the wallet, as far as known. */
  internal: readonly { from: string; to: string }[];
  erc20: readonly Transfer[];
  nfts: readonly Transfer[];
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
  const { wallet, transaction, internal, erc20, nfts, approvals, trades, hasSwap, wrappedNative } = activity;
  const isSender = transaction.from === wallet;
  if (transaction.status === 0) return "failed";
  if (isSender && transaction.to === null) return "deploy";
  if (trades.some(({ buyer }) => buyer === wallet)) return "nft purchase";
  if (trades.some(({ seller }) => seller === wallet)) return "nft sale";

  const hasValue = BigInt(transaction.value) > 0n;
  const paid =
    (hasValue && isSender && transaction.to !== wallet) ||
    internal.some(({ from, to }) => from === wallet && to !== wallet);
  // The value that another sends to a contract is taken to reach the wallet.
  const wasPaid =
    (hasValue && !isSender) || internal.some(({ from, to }) => to === wallet && from !== wallet);
  const sent = erc20.filter(({ from, to }) => from === wallet && to !== wallet);
  const received = erc20.filter(({ from, to }) => to === wallet && from !== wallet);
  const nftsSent = nfts.filter(({ from, to }) => from === wallet && to !== wallet);
  const nftsReceived = nfts.filter(({ from, to }) => to === wallet && from !== wallet);
  const isMint = ({ from }: Transfer) => from === NULL_ADDRESS;
  const isBurn = ({ to }: Transfer) => to === NULL_ADDRESS;
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

interface Movements {
  sent: readonly Transfer[];
  received: readonly Transfer[];
  nftsSent: readonly Transfer[];
  nftsReceived: readonly Transfer[];
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
  // The wallet is both sides.
  if (nfts.length > 0) return "nft send";
  if (erc20.length > 0) return "token send";
  if (wasPaid) return "receive";
  // Coins that are paid with a call belong to that call.
  const isPlain = input.length < 10;
  return isPlain && from === wallet && to !== null && (paid || BigInt(value) > 0n) ? "send" : undefined;
}

function categoryOfApprovals(approvals: readonly LoggedApproval[]): Category | undefined {
  if (approvals.length === 0) return undefined;
  return approvals.every(({ isRevoked }) => isRevoked) ? "revoke" : "approve";
}
