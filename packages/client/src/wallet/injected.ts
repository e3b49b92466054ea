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
  /** The wallet to use; the one that the browser offers first where it is left out. */
  rdns?: string | undefined;
  /** Of one that has announced itself, where several call themselves by one `rdns`; good until the page is left. */
  uuid?: string | undefined;
}

/** A wallet of the browser: one that announced itself, or `window.ethereum`. */
export class InjectedWeb3Connector extends AbstractWeb3Connector implements ChainSwitching {
  override type = "injected";
  /** Which of the browser's wallets it has opened; empty where none was named. */
  chosen: InjectedOptions = {};

  override async activate(options: InjectedOptions = {}): Promise<Activation> {
    this.chosen = { rdns: options.rdns, uuid: options.uuid };
    let provider = chosenProvider(options);
    if (!provider) {
      // On a page that has only just been loaded wallets may still be about to announce themselves.
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

  /** Whether the wallet has allowed this page to see its account before: then it opens no window when asked again. */
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

  /** Asks the wallet to switch; nothing happens on the chain that it is on already. */
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
