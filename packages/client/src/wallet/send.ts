import type { Abi } from "viem";
import type { Eip1193Provider } from "./eip1193.ts";
import type { GasPrice } from "./fees.ts";
import type { TransactionReference } from "./lookForTransaction.ts";
import { quantity, quantityOf, withMargin } from "./quantity.ts";
import { readTransaction, type TransactionReceipt } from "./receipt.ts";
import { RevertError, revertOf } from "./revert.ts";
import { type SignerExpectation, signerNow } from "./signer.ts";
import { confirmed, type FollowedTransaction, type FollowOptions, followTransaction } from "./transaction.ts";
import { answerOf, askPeople, type WaitOptions } from "./waiting.ts";

/** A transaction to send. */
export interface TransactionCall {
  /** Omitted for contract creation. */
  to?: string | undefined;
  /** Wei. */
  value?: bigint | undefined;
  data?: string | undefined;
}

export interface SendOptions extends SignerExpectation {
  /** Used to decode the errors of the called contract. */
  abi?: Abi | undefined;
  /** One of `feeTiers`; chosen by the wallet by default. */
  fees?: GasPrice | undefined;
  /** The nonce of a transaction to replace. Many wallets choose it themselves. */
  nonce?: number | undefined;
}

/** A sent transaction, with the fields of ethers' TransactionResponse. */
export interface SentTransaction {
  hash: string;
  /** Lowercase hex. */
  from: string;
  to: string | null;
  value: bigint;
  data: string;
  /** null if the node does not know it yet. */
  nonce: number | null;
  /** null if the wallet does not report it. */
  chainId: number | null;
  /** Store it to continue with `followTransaction` after a reload. */
  reference: TransactionReference;
  /**
   * Resolves once it has the confirmations (1 by default). Rejects with `code` CALL_EXCEPTION if it
   * failed, TRANSACTION_REPLACED if it was replaced, or with the reason of an aborted `signal`.
   */
  wait(confirmations?: number, options?: Pick<WaitOptions, "signal">): Promise<TransactionReceipt>;
  /** Follows its progress. */
  follow(options?: FollowOptions): FollowedTransaction;
}

/**
 * Sends a transaction by the connected wallet. A call that would revert rejects with RevertError
 * before approval is requested; errors of the wallet (4001: rejected by the user) are passed on. A transaction that is
 * approved after the timeout is still sent, but not reported.
 */
export async function sendTransaction(
  { to, value = 0n, data = "0x" }: TransactionCall,
  { abi, fees, nonce: wanted, ...expected }: SendOptions = {},
): Promise<SentTransaction> {
  const { provider, account: from, chainId } = await signerNow(expected);
  const call = {
    from,
    ...(to !== undefined && { to }),
    ...(value > 0n && { value: quantity(value) }),
    ...(data !== "0x" && { data }),
  };
  const choice = {
    ...(fees && {
      maxFeePerGas: quantity(fees.maxFeePerGas),
      maxPriorityFeePerGas: quantity(fees.maxPriorityFeePerGas),
    }),
    ...(wanted !== undefined && { nonce: quantity(wanted) }),
  };
  const [gas, block] = await Promise.all([
    estimate(provider, call, abi, expected),
    headOf(provider, expected),
  ]);
  const params = [{ ...call, ...(gas !== null && { gas }), ...choice }];
  const hash = await askPeople(provider, { method: "eth_sendTransaction", params }, expected);
  if (typeof hash !== "string" || !hash) throw new Error("The wallet has sent nothing");
  const nonce = await nonceOf(provider, hash);
  const reference: TransactionReference = {
    hash,
    chainId,
    from,
    nonce,
    block,
    call: { to: to?.toLowerCase() ?? null, value: value.toString(), data },
  };
  return {
    hash,
    from,
    to: to?.toLowerCase() ?? null,
    value,
    data,
    nonce,
    chainId: chainId === null ? null : Number(chainId),
    reference,
    wait: (confirmations = 1, { signal } = {}) =>
      confirmed(followTransaction(reference, provider, { abi, confirmations }), confirmations, signal),
    follow: (options) => followTransaction(reference, provider, { abi, ...options }),
  };
}

/** Estimates gas; null if the node cannot. Throws RevertError if the call would revert. */
async function estimate(
  provider: Eip1193Provider,
  call: object,
  abi: Abi | undefined,
  waiting: WaitOptions,
): Promise<string | null> {
  try {
    const gas = quantityOf(await answerOf(provider, { method: "eth_estimateGas", params: [call] }, waiting));
    return gas === null ? null : quantity(withMargin(gas));
  } catch (error) {
    waiting.signal?.throwIfAborted();
    const revert = await revertOf(error, abi);
    if (revert) throw new RevertError(revert, { cause: error });
    // For insufficient funds or blocked methods the wallet shows a better message itself.
    return null;
  }
}

async function headOf(provider: Eip1193Provider, waiting: WaitOptions): Promise<number | null> {
  const head = quantityOf(await answerOf(provider, { method: "eth_blockNumber" }, waiting).catch(() => null));
  return head === null ? null : Number(head);
}

/** Reads the nonce from the node, since users can change it in their wallets. */
async function nonceOf(provider: Eip1193Provider, hash: string): Promise<number | null> {
  const asked = answerOf(provider, { method: "eth_getTransactionByHash", params: [hash] });
  return readTransaction(await asked.catch(() => null))?.nonce ?? null;
}
