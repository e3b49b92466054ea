import {
  AbstractWeb3Connector,
  type Activation,
  type ChainDescription,
  type ChainSwitching,
} from "./Connector.ts";
import { injectedWallets } from "./discovery.ts";
import { type Eip1193Provider, firstAccount, hexChainId } from "./eip1193.ts";

export interface InjectedOptions {
  /** The wallet to use; the one that the browser offers first where it is left out. */
  rdns?: string | undefined;
}

/** A wallet of the browser: one that announced itself, or `window.ethereum`. */
export class InjectedWeb3Connector extends AbstractWeb3Connector implements ChainSwitching {
  override type = "injected";

  async activate({ rdns }: InjectedOptions = {}): Promise<Activation> {
    const provider = chosenProvider(rdns);
    if (!provider) throw new Error("Non ethereum enabled browser");
    const [accounts, chainId] = await Promise.all([
      provider.request({ method: "eth_requestAccounts" }),
      provider.request({ method: "eth_chainId" }),
    ]);
    this.provider = provider;
    this.account = firstAccount(accounts);
    this.chainId = hexChainId(chainId);
    this.subscribeToEvents(provider);
    return { provider, chainId: this.chainId, account: this.account };
  }

  /** Asks the wallet to switch (EIP-3326); nothing happens on the chain that it is on already. */
  async switchNetwork(chainId: string | number): Promise<void> {
    const hex = hexChainId(chainId);
    if (hex === null || hex === this.chainId) return;
    await this.provider?.request({ method: "wallet_switchEthereumChain", params: [{ chainId: hex }] });
  }

  /** Asks the wallet to add a chain (EIP-3085). Currencies of EVM chains have 18 decimals. */
  async addNetwork(chain: ChainDescription): Promise<void> {
    const { chainId, chainName, currencyName, currencySymbol, rpcUrl, blockExplorerUrl } = chain;
    await this.provider?.request({
      method: "wallet_addEthereumChain",
      params: [
        {
          chainId: hexChainId(chainId),
          chainName,
          nativeCurrency: { name: currencyName, symbol: currencySymbol, decimals: 18 },
          rpcUrls: [rpcUrl],
          blockExplorerUrls: blockExplorerUrl ? [blockExplorerUrl] : null,
        },
      ],
    });
  }
}

/** How long wallets get to announce themselves after a page was loaded, in ms. */
const ANNOUNCEMENT_MS = 100;

/** Whether a wallet has allowed this page to see its account before: then it opens no window when asked again. */
export async function givesAccount(rdns: string | undefined): Promise<boolean> {
  injectedWallets.get();
  await new Promise((resolve) => setTimeout(resolve, ANNOUNCEMENT_MS));
  const accounts = await chosenProvider(rdns)
    ?.request({ method: "eth_accounts" })
    .catch(() => undefined);
  return firstAccount(accounts) !== null;
}

function chosenProvider(rdns: string | undefined): Eip1193Provider | undefined {
  if (rdns !== undefined) return injectedWallets.get().find((wallet) => wallet.rdns === rdns)?.provider;
  if (typeof window === "undefined") return undefined;
  const injected: unknown = "ethereum" in window ? window.ethereum : undefined;
  return isProvider(injected) ? injected : injectedWallets.get()[0]?.provider;
}

function isProvider(value: unknown): value is Eip1193Provider {
  return (
    typeof value === "object" && value !== null && "request" in value && typeof value.request === "function"
  );
}
