import { firstAccount, hexChainId } from "./eip1193.ts";
import { readFromWallet, type WaitOptions } from "./timeouts.ts";
import { type EnabledWallet, enabledWallet } from "./wallet.ts";

/**
 * Returns the enabled wallet with its current account and chain: users change them, and not every wallet emits events.
 * Values that the wallet does not return stay unchanged. Throws if no wallet is enabled.
 */
export async function getActiveAccount({ signal }: WaitOptions = {}): Promise<EnabledWallet> {
  const { connector, provider } = enabledWallet();
  const read = (method: string) => readFromWallet(provider, { method }, { signal }).catch(() => undefined);
  const [accounts, chain] = await Promise.all([read("eth_accounts"), read("eth_chainId")]);
  signal?.throwIfAborted();
  const now = enabledWallet();
  if (now.connector !== connector) return getActiveAccount({ signal });
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
