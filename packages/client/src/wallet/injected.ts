import {
  AbstractWeb3Connector,
  type Activation,
  type ChainDescription,
  type ChainSwitching,
  requestAdding,
  requestSwitch,
} from "./Connector.ts";
import { announcedWallets, injectedWallets, windowEthereum } from "./discovery.ts";
import { type Eip1193Provider, firstAccount, hexChainId } from "./eip1193.ts";

export interface InjectedOptions {
  /** The wallet to use; defaults to the browser's first one. */
  rdns?: string | undefined;
  /** Distinguishes announced wallets with the same `rdns`; valid until the page is closed. */
  uuid?: string | undefined;
}

/** A wallet of the browser: announced by EIP-6963, or `window.ethereum`. */
export class InjectedWeb3Connector extends AbstractWeb3Connector implements ChainSwitching {
  override type = "injected";
  /** The selected wallet; empty for the default. */
  chosen: InjectedOptions = {};

  override async activate(options: InjectedOptions = {}): Promise<Activation> {
    this.chosen = { rdns: options.rdns, uuid: options.uuid };
    let provider = chosenProvider(options);
    if (!provider) {
      // On a freshly loaded page wallets may not have announced themselves yet.
      await announcedWallets();
      provider = chosenProvider(options);
    }
    if (!provider) throw new Error("Non ethereum enabled browser");
    const [accounts, chainId] = await Promise.all([
      provider.request({ method: "eth_requestAccounts" }),
      provider.request({ method: "eth_chainId" }),
    ]);
    return this.activated(provider, accounts, chainId);
  }

  /** Whether the wallet has exposed its account to this page before: then it does not prompt again. */
  override async authorized({ rdns }: InjectedOptions = {}): Promise<boolean> {
    await announcedWallets();
    const provider = chosenProvider({ rdns });
    return (
      provider !== undefined && firstAccount(await provider.request({ method: "eth_accounts" })) !== null
    );
  }

  override kept({ rdns }: InjectedOptions = {}): Record<string, unknown> {
    return rdns === undefined ? {} : { rdns };
  }

  /** Requests a switch of chains; does nothing if the wallet is already on the chain. */
  async switchNetwork(chainId: string | number): Promise<void> {
    const hex = hexChainId(chainId);
    if (hex === null) throw new Error(`"${chainId}" is not a chain id`);
    if (hex !== this.chainId && this.provider) await requestSwitch(this.provider, hex);
  }

  async addNetwork(chain: ChainDescription): Promise<void> {
    if (this.provider) await requestAdding(this.provider, chain);
  }
}

function chosenProvider({ rdns, uuid }: InjectedOptions): Eip1193Provider | undefined {
  const wallets = injectedWallets.get();
  if (rdns === undefined && uuid === undefined) return windowEthereum() ?? wallets[0]?.provider;
  const chosen =
    wallets.find((wallet) => wallet.uuid === uuid) ?? wallets.find((wallet) => wallet.rdns === rdns);
  return chosen?.provider;
}
