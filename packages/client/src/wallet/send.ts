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

/** What the wallet is to send. */
export interface TransactionCall {
  /** Without it a contract is made. */
  to?: string | undefined;
  /** Wei. */
  value?: bigint | undefined;
  data?: string | undefined;
}

export interface SendOptions extends SignerExpectation {
  /** Names the errors of the contract that is called. */
  abi?: Abi | undefined;
  /** One of `feeTiers`; the wallet's own choice where it is left out. */
  fees?: GasPrice | undefined;
  /** Of a transaction that this one is to take the place of. Many wallets choose it themselves. */
  nonce?: number | undefined;
}

/** A transaction that the wallet has sent, with the fields that old code reads. */
export interface SentTransaction {
  hash: string;
  /** Lower-case hex. */
  from: string;
  to: string | null;
  value: bigint;
  data: string;
  /** null where the node does not know it yet. */
  nonce: number | null;
  /** null where the wallet does not tell it. */
  chainId: number | null;
  /** Keep it to go on with `followTransaction` after a reload. */
  reference: TransactionReference;
  /**
   * Resolves once it has so many confirmations (1 by default). Rejects with `code` CALL_EXCEPTION where it has
   * failed, TRANSACTION_REPLACED where another has taken its place; with the reason of an aborted `signal`.
   */
  wait(confirmations?: number, options?: Pick<WaitOptions, "signal">): Promise<TransactionReceipt>;
  /** Its way from here. */
  follow(options?: FollowOptions): FollowedTransaction;
}

/**
 * Has the connected wallet send a transaction. A call that its contract would refuse now rejects with RevertError
 * before anybody is asked to sign; what the wallet says (4001: declined) is handed on. What people confirm after the
 * deadline is sent all the same, and heard of by nobody.
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

/** The gas that a call takes; null where the node cannot say. Throws where the contract would refuse it. */
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
    // Lacking funds, a method that the wallet keeps from pages: it tells people better itself.
    return null;
  }
}

async function headOf(provider: Eip1193Provider, waiting: WaitOptions): Promise<number | null> {
  const head = quantityOf(await answerOf(provider, { method: "eth_blockNumber" }, waiting).catch(() => null));
  return head === null ? null : Number(head);
}

/** People change the nonce in their wallets, so the node is asked which it was. */
async function nonceOf(provider: Eip1193Provider, hash: string): Promise<number | null> {
  const asked = answerOf(provider, { method: "eth_getTransactionByHash", params: [hash] });
  return readTransaction(await asked.catch(() => null))?.nonce ?? null;
}
