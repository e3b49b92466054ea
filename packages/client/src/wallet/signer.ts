import { askedWallet } from "./askedWallet.ts";
import { type Eip1193Provider, hexChainId } from "./eip1193.ts";
import { answerOf, type WaitOptions } from "./waiting.ts";

/** Who signs, as the wallet says at this moment. */
export interface Signer {
  provider: Eip1193Provider;
  /** Lower-case hex. */
  account: string;
  /** Hex; null where the wallet does not tell. */
  chainId: string | null;
}

/** What must still be so when the wallet is asked to sign, and how long it is waited for. */
export interface SignerExpectation extends WaitOptions {
  /** Whose signature is wanted; any case. */
  account?: string | undefined;
  /** The chain that it is meant for. */
  chainId?: string | number | bigint | undefined;
}

/**
 * Asks the wallet for its account and chain right before it signs: people change both meanwhile, and the events that
 * tell of it come late or never. Throws `Sender address not found` without an account, and where the answer is not
 * what was expected.
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

/** Wallets may have given the page several accounts, of which one is the present one. */
async function isAmong(provider: Eip1193Provider, wanted: string, waiting: WaitOptions): Promise<boolean> {
  const accounts = await answerOf(provider, { method: "eth_accounts" }, waiting).catch(() => undefined);
  return Array.isArray(accounts) && accounts.some((account) => String(account).toLowerCase() === wanted);
}
