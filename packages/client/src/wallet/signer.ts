import { askedWallet } from "./askedWallet.ts";
import { type Eip1193Provider, hexChainId } from "./eip1193.ts";
import { answerOf, type WaitOptions } from "./waiting.ts";

/** The wallet's current provider, account and chain. */
export interface Signer {
  provider: Eip1193Provider;
  /** Lowercase hex. */
  account: string;
  /** Hex; null if the wallet does not report it. */
  chainId: string | null;
}

/** The expected account and chain when signing, and how long to wait for the wallet. */
export interface SignerExpectation extends WaitOptions {
  /** The account that must sign; any case. */
  account?: string | undefined;
  /** The chain that the wallet must be on. */
  chainId?: string | number | bigint | undefined;
}

/**
 * Reads the wallet's account and chain right before signing: users change both, and the events
 * may be late or missing. Throws `Sender address not found` without an account, and if account or chain differ from
 * the expected ones.
 */
export async function signerNow(expected: SignerExpectation = {}): Promise<Signer> {
  const { provider, account, chainId } = await askedWallet(expected);
  if (!account) throw new Error("Sender address not found");
  const wanted = expected.account?.toLowerCase();
  if (wanted !== undefined && wanted !== account && !(await isAmong(provider, wanted, expected))) {
    throw new Error(`The wallet's account is ${account}, not ${wanted}`);
  }
  const wantedChain = hexChainId(expected.chainId);
  if (wantedChain !== null && chainId !== null && BigInt(wantedChain) !== BigInt(chainId)) {
    throw new Error(`The wallet is on chain ${chainId}, not on ${wantedChain}`);
  }
  return { provider, account: wanted ?? account, chainId };
}

/** A wallet may expose several accounts, of which one is active. */
async function isAmong(provider: Eip1193Provider, wanted: string, waiting: WaitOptions): Promise<boolean> {
  const accounts = await answerOf(provider, { method: "eth_accounts" }, waiting).catch(() => undefined);
  return Array.isArray(accounts) && accounts.some((account) => String(account).toLowerCase() === wanted);
}
