import { type Activation, ChainSwitchingConnector } from "./Connector.ts";
import { injectedWallets, waitForWallets, windowEthereum } from "./discovery.ts";
import { type Eip1193Provider, firstAccount } from "./eip1193.ts";

export interface InjectedOptions {
  /** The wallet to use; defaults to the browser's first one. */
  rdns?: string | undefined;
  /** Distinguishes announced wallets with the same `rdns`; valid until the page is closed. */
  uuid?: string | undefined;
}

/** A wallet of the browser: announced by EIP-6963, or `window.ethereum`. */
export class InjectedWeb3Connector extends ChainSwitchingConnector {
  override type = "injected";
  /** The selected wallet; empty for the default. */
  selection: InjectedOptions = {};

  override async activate(options: InjectedOptions = {}): Promise<Activation> {
    this.selection = { rdns: options.rdns, uuid: options.uuid };
    let provider = selectProvider(options);
    if (!provider) {
      // On a freshly loaded page wallets may not have announced themselves yet.
      await waitForWallets();
      provider = selectProvider(options);
    }
    if (!provider) throw new Error("Non ethereum enabled browser");
    const [accounts, chainId] = await Promise.all([
      provider.request({ method: "eth_requestAccounts" }),
      provider.request({ method: "eth_chainId" }),
    ]);
    return this.completeActivation(provider, accounts, chainId);
  }

  /** Whether the wallet has exposed its account to this page before: then it does not prompt again. */
  override async isAuthorized({ rdns }: InjectedOptions = {}): Promise<boolean> {
    await waitForWallets();
    const provider = selectProvider({ rdns });
    return (
      provider !== undefined && firstAccount(await provider.request({ method: "eth_accounts" })) !== null
    );
  }

  override persistedOptions({ rdns }: InjectedOptions = {}): Record<string, unknown> {
    return rdns === undefined ? {} : { rdns };
  }
}

function selectProvider({ rdns, uuid }: InjectedOptions): Eip1193Provider | undefined {
  const wallets = injectedWallets.get();
  if (rdns === undefined && uuid === undefined) return windowEthereum() ?? wallets[0]?.provider;
  const selection =
    wallets.find((wallet) => wallet.uuid === uuid) ?? wallets.find((wallet) => wallet.rdns === rdns);
  return selection?.provider;
}
