import { firstAccount, hexChainId } from "./eip1193.ts";
import { answerOf, type WaitOptions } from "./waiting.ts";
import { type EnabledWallet, enabledWallet } from "./wallet.ts";

/**
 * Returns the enabled wallet with its current account and chain: users change them, and not every wallet emits events.
 * Values that the wallet does not return stay unchanged. Throws if no wallet is enabled.
 */
export async function askedWallet({ signal }: WaitOptions = {}): Promise<EnabledWallet> {
  const { connector, provider } = enabledWallet();
  const ask = (method: string) => answerOf(provider, { method }, { signal }).catch(() => undefined);
  const [accounts, chain] = await Promise.all([ask("eth_accounts"), ask("eth_chainId")]);
  signal?.throwIfAborted();
  const now = enabledWallet();
  if (now.connector !== connector) return askedWallet({ signal });
  const account = Array.isArray(accounts) ? firstAccount(accounts) : now.account;
  const chainId = hexChainId(chain) ?? now.chainId;
  if (account !== now.account) {
    connector.account = account;
    connector.emit("accountChanged", account);
  }
  if (chainId !== null && chainId !== now.chainId) {
    connector.chainId = chainId;
    connector.emit("chainChanged", chainId);
  }
  return enabledWallet();
}
