import { getActiveAccount } from "./activeAccount.ts";
import { type Eip1193Provider, hexChainId } from "./eip1193.ts";
import { readFromWallet, type WaitOptions } from "./timeouts.ts";

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
export async function getSigner(expected: SignerExpectation = {}): Promise<Signer> {
  const { provider, account, chainId } = await getActiveAccount(expected);
  if (!account) throw new Error("Sender address not found");
  const expectedAccount = expected.account?.toLowerCase();
  if (
    expectedAccount !== undefined &&
    expectedAccount !== account &&
    !(await hasAccount(provider, expectedAccount, expected))
  ) {
    throw new Error(`The wallet's account is ${account}, not ${expectedAccount}`);
  }
  const expectedChain = hexChainId(expected.chainId);
  if (expectedChain !== null && chainId !== null && BigInt(expectedChain) !== BigInt(chainId)) {
    throw new Error(`The wallet is on chain ${chainId}, not on ${expectedChain}`);
  }
  return { provider, account: expectedAccount ?? account, chainId };
}

/** A wallet may expose several accounts, of which one is active. */
async function hasAccount(
  provider: Eip1193Provider,
  expectedAccount: string,
  waitOptions: WaitOptions,
): Promise<boolean> {
  const accounts = await readFromWallet(provider, { method: "eth_accounts" }, waitOptions).catch(
    () => undefined,
  );
  return (
    Array.isArray(accounts) && accounts.some((account) => String(account).toLowerCase() === expectedAccount)
  );
}
