/* Several calls at once, for wallets that support them (EIP-5792), as those of smart accounts do. */
import { isRecord } from "@purse/protocol";
import { type Eip1193Provider, hexChainId } from "./eip1193.ts";
import { POLL_INTERVAL_MS, pollInterval } from "./pollInterval.ts";
import { quantity, quantityOf } from "./quantity.ts";
import { type CallsReceipt, readCallsReceipt } from "./receipt.ts";
import type { TransactionCall } from "./send.ts";
import { getSigner, type SignerExpectation } from "./signer.ts";
import { readFromWallet, requestUserApproval } from "./timeouts.ts";

/** What a wallet can do on its current chain. */
export interface WalletCapabilities {
  /**
   * Whether it executes several calls completely or not at all: `ready` wallets ask the user first whether the account may
   * become a smart account.
   */
  atomic: "supported" | "ready" | "unsupported";
  /** Whether a service may pay the fees. */
  paymaster: boolean;
}

const NO_CAPABILITIES: WalletCapabilities = { atomic: "unsupported", paymaster: false };

/** Reads the wallet's capabilities; wallets that do not know the request have none. Never prompts the user. */
export async function walletCapabilities(expected: SignerExpectation = {}): Promise<WalletCapabilities> {
  const { provider, account, chainId } = await getSigner(expected);
  if (chainId === null) return NO_CAPABILITIES;
  const call = { method: "wallet_getCapabilities", params: [account, [chainId]] };
  const answer = await readFromWallet(provider, call, expected).catch(() => undefined);
  expected.signal?.throwIfAborted();
  if (!isRecord(answer)) return NO_CAPABILITIES;
  // 0x0 stands for all chains.
  const own = { ...recordOf(answer["0x0"]), ...recordOf(entryOfChain(answer, chainId)) };
  return {
    atomic: atomicOf(own),
    paymaster: recordOf(own.paymasterService).supported === true,
  };
}

/** Wallets write chain IDs with leading zeros or in capitals. */
function entryOfChain(answer: Record<string, unknown>, chainId: string): unknown {
  const key = Object.keys(answer).find((each) => hexChainId(each) === hexChainId(chainId));
  return key === undefined ? undefined : answer[key];
}

function atomicOf({ atomic, atomicBatch }: Record<string, unknown>): WalletCapabilities["atomic"] {
  const { status } = recordOf(atomic);
  if (status === "supported" || status === "ready") return status;
  // Wallets of an earlier draft.
  return recordOf(atomicBatch).supported === true ? "supported" : "unsupported";
}

export interface SendCallsOptions extends SignerExpectation {
  /** Whether the wallet must execute all calls or none; true by default. */
  atomic?: boolean | undefined;
}

/** Calls that a wallet has accepted. */
export interface SentCalls {
  /** Given by the wallet: `callsStatus` finds the calls again, also after a reload. */
  id: string;
  /** Lowercase hex. */
  from: string;
  /** Hex. */
  chainId: string;
  /** Resolves once the calls were executed or have failed, as `waitForCalls` with the wallet that has sent them. */
  wait(options?: Omit<WaitForCallsOptions, "provider">): Promise<CallsStatus>;
}

/**
 * Sends several calls by the connected wallet, which the user approves together. Errors of the wallet (4001: rejected by
 * the user, 5700: atomic execution is not supported, 5750: the user does not want a smart account) are passed on. Throws
 * without `chainId` if the wallet does not report its chain.
 */
export async function sendCalls(
  calls: readonly TransactionCall[],
  { atomic = true, ...expected }: SendCallsOptions = {},
): Promise<SentCalls> {
  if (calls.length === 0) throw new Error("There are no calls to send");
  const { provider, account: from, chainId: walletChainId } = await getSigner(expected);
  const chainId = walletChainId ?? hexChainId(expected.chainId);
  if (chainId === null)
    throw new Error("The wallet does not report its chain: the chainId option is required");
  const request = {
    version: "2.0.0",
    from,
    chainId,
    atomicRequired: atomic,
    calls: calls.map(({ to, value = 0n, data = "0x" }) => ({
      ...(to !== undefined && { to }),
      value: quantity(value),
      data,
    })),
  };
  const answer = await requestUserApproval(
    provider,
    { method: "wallet_sendCalls", params: [request] },
    expected,
  );
  const id = isRecord(answer) ? answer.id : answer;
  if (typeof id !== "string" || id === "") throw new Error("The wallet has sent nothing");
  return { id, from, chainId, wait: (options) => waitForCalls(id, { ...options, provider }) };
}

/** Errors of wallets that cannot send these calls together, or whose user does not want a smart account. */
const REFUSALS = [5700, 5710, 5740, 5750, 5760, 4200, -32601];

/** Whether a wallet has rejected calls because they are sent together: the application may send them one by one. */
export function isBatchRefused(error: unknown): boolean {
  return isRecord(error) && REFUSALS.includes(Number(error.code));
}

/** What has become of calls. */
export interface CallsStatus {
  /**
   * `failed`: nothing was executed, `reverted`: all calls were, without effect, `partial`: some of them were reverted.
   * `unknown`: a status that this client does not know.
   */
  status: "pending" | "confirmed" | "failed" | "reverted" | "partial" | "unknown";
  /** Whether the wallet executes the calls completely or not at all; null if it does not report it. */
  isAtomic: boolean | null;
  /** One of each transaction: several if the wallet did not execute the calls together. */
  receipts: readonly CallsReceipt[];
}

export interface CallsStatusOptions {
  signal?: AbortSignal | undefined;
  /** The wallet that has sent the calls; the connected one by default. */
  provider?: Eip1193Provider | undefined;
}

/** Reads the status of calls from the wallet. Rejects with its error (5730: the id is unknown). */
export async function callsStatus(
  id: string,
  { signal, provider }: CallsStatusOptions = {},
): Promise<CallsStatus> {
  const wallet = provider ?? (await getSigner({ signal })).provider;
  const call = { method: "wallet_getCallsStatus", params: [id] };
  const { status, atomic, receipts } = recordOf(await readFromWallet(wallet, call, { signal }));
  if (status === undefined || status === null) throw new Error("The wallet reported no status of the calls");
  const list = Array.isArray(receipts) ? receipts : [];
  return {
    status: statusOf(status, list),
    isAtomic: typeof atomic === "boolean" ? atomic : null,
    receipts: list.map(readCallsReceipt).filter((receipt) => receipt !== null),
  };
}

function statusOf(status: unknown, receipts: readonly unknown[]): CallsStatus["status"] {
  // Wallets of an earlier draft.
  if (status === "PENDING") return "pending";
  if (status === "CONFIRMED")
    return receipts.every((receipt) => quantityOf(recordOf(receipt).status) !== 0n)
      ? "confirmed"
      : "reverted";
  switch (Math.floor(Number(status) / 100)) {
    case 1:
      return "pending";
    case 2:
      return "confirmed";
    case 4:
      return "failed";
    case 5:
      return "reverted";
    case 6:
      return "partial";
    default:
      return "unknown";
  }
}

export interface WaitForCallsOptions extends CallsStatusOptions {
  /** The polling interval, in ms; it grows while the wallet fails. */
  pollMs?: number | undefined;
}

/** Errors of wallets that do not know the calls or the request, or do not allow it: the answer stays the same. */
const FINAL_ERRORS = [5730, 4100, 4200, -32601];

/**
 * Polls the wallet until calls are no longer pending. Rejects with the signal's reason, if no wallet is connected, and if
 * the wallet does not know the calls (5730), does not allow the request (4100) or does not support it (4200, -32601).
 * Keeps polling after other errors.
 */
export async function waitForCalls(
  id: string,
  { signal, provider, pollMs = POLL_INTERVAL_MS }: WaitForCallsOptions = {},
): Promise<CallsStatus> {
  const wallet = provider ?? (await getSigner({ signal })).provider;
  for (let failures = 0; ; ) {
    try {
      const status = await callsStatus(id, { signal, provider: wallet });
      if (status.status !== "pending") return status;
      failures = 0;
    } catch (error) {
      signal?.throwIfAborted();
      if (isRecord(error) && FINAL_ERRORS.includes(Number(error.code))) throw error;
      failures += 1;
    }
    await delay(pollInterval(pollMs, failures), signal);
  }
}

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
