import type { Abi } from "viem";
import type { Eip1193Provider } from "./eip1193.ts";
import type { GasPrice } from "./fees.ts";
import { quantity, quantityOf, withMargin } from "./quantity.ts";
import { readTransaction, type TransactionReceipt } from "./receipt.ts";
import { RevertError, revertOf } from "./revert.ts";
import { getSigner, type SignerExpectation } from "./signer.ts";
import { readFromWallet, requestUserApproval, type WaitOptions } from "./timeouts.ts";
import {
  type FollowedTransaction,
  type FollowOptions,
  followTransaction,
  waitForConfirmations,
} from "./transaction.ts";
import type { TransactionReference } from "./transactionReference.ts";

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
  { abi, fees, nonce: requestedNonce, ...expected }: SendOptions = {},
): Promise<SentTransaction> {
  const { provider, account: from, chainId } = await getSigner(expected);
  const call = {
    from,
    ...(to !== undefined && { to }),
    ...(value > 0n && { value: quantity(value) }),
    ...(data !== "0x" && { data }),
  };
  const overrides = {
    ...(fees && {
      maxFeePerGas: quantity(fees.maxFeePerGas),
      maxPriorityFeePerGas: quantity(fees.maxPriorityFeePerGas),
    }),
    ...(requestedNonce !== undefined && { nonce: quantity(requestedNonce) }),
  };
  const [gas, block] = await Promise.all([
    estimate(provider, call, abi, expected),
    latestBlock(provider, expected),
  ]);
  const params = [{ ...call, ...(gas !== null && { gas }), ...overrides }];
  const hash = await requestUserApproval(provider, { method: "eth_sendTransaction", params }, expected);
  if (typeof hash !== "string" || !hash) throw new Error("The wallet has sent nothing");
  const nonce = await nonceOf(provider, hash, from);
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
      waitForConfirmations(
        followTransaction(reference, provider, { abi, confirmations }),
        confirmations,
        signal,
      ),
    follow: (options) => followTransaction(reference, provider, { abi, ...options }),
  };
}

/** Estimates gas; null if the node cannot. Throws RevertError if the call would revert. */
async function estimate(
  provider: Eip1193Provider,
  call: object,
  abi: Abi | undefined,
  waitOptions: WaitOptions,
): Promise<string | null> {
  try {
    const gas = quantityOf(
      await readFromWallet(provider, { method: "eth_estimateGas", params: [call] }, waitOptions),
    );
    return gas === null ? null : quantity(withMargin(gas));
  } catch (error) {
    waitOptions.signal?.throwIfAborted();
    const revert = await revertOf(error, abi);
    if (revert) throw new RevertError(revert, { cause: error });
    // For insufficient funds or blocked methods the wallet shows a better message itself.
    return null;
  }
}

async function latestBlock(provider: Eip1193Provider, waitOptions: WaitOptions): Promise<number | null> {
  const head = quantityOf(
    await readFromWallet(provider, { method: "eth_blockNumber" }, waitOptions).catch(() => null),
  );
  return head === null ? null : Number(head);
}

/**
 * Reads the nonce from the node, since users can change it in their wallets. The transactions of smart accounts are sent by
 * others, whose nonces do not identify them.
 */
async function nonceOf(provider: Eip1193Provider, hash: string, from: string): Promise<number | null> {
  const response = readFromWallet(provider, { method: "eth_getTransactionByHash", params: [hash] });
  const transaction = readTransaction(await response.catch(() => null));
  return transaction?.from === from ? transaction.nonce : null;
}
