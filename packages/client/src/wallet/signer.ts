import { type Eip1193Provider, firstAccount, hexChainId } from "./eip1193.ts";
import { enabledWallet } from "./wallet.ts";

/** Who signs, as the wallet says at this moment. */
export interface Signer {
  provider: Eip1193Provider;
  /** Lower-case hex. */
  account: string;
  /** Hex; null where the wallet does not tell. */
  chainId: string | null;
}

/** What must still be so when the wallet is asked to sign. */
export interface SignerExpectation {
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
  const { provider, account: known, chainId: knownChain } = enabledWallet();
  const [accounts, chain] = await Promise.all([
    provider.request({ method: "eth_accounts" }).catch(() => undefined),
    provider.request({ method: "eth_chainId" }).catch(() => undefined),
  ]);
  const account = firstAccount(accounts) ?? known;
  if (!account) throw new Error("Sender address not found");
  const wanted = expected.account?.toLowerCase();
  if (wanted !== undefined && wanted !== account && !isAmong(accounts, wanted)) {
    throw new Error(`The wallet's account is ${account}, not ${wanted}`);
  }
  const chainId = hexChainId(chain) ?? knownChain;
  const wantedChain = hexChainId(expected.chainId);
  if (wantedChain !== null && chainId !== null && BigInt(wantedChain) !== BigInt(chainId)) {
    throw new Error(`The wallet is on chain ${chainId}, not on ${wantedChain}`);
  }
  return { provider, account: wanted ?? account, chainId };
}

function isAmong(accounts: unknown, wanted: string): boolean {
  return Array.isArray(accounts) && accounts.some((account) => String(account).toLowerCase() === wanted);
}
