import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { firstAccount, hexChainId } from "./eip1193.ts";
import { decryptKey, type KeystoreFile } from "./keystoreFile.ts";
import { keyProvider } from "./rpcProvider.ts";

export type KeystoreOptions = {
  /** A node that takes what the wallet signs. */
  rpcUrl?: string | undefined;
} & ({ keystore?: KeystoreFile; password?: string } | { privateKey?: string });

/** A wallet inside the page, for development and for people without one: its key is unlocked for this page only. */
export class KeystoreConnector extends AbstractWeb3Connector {
  override type = "keystore";

  async activate(options: KeystoreOptions = {}): Promise<Activation> {
    if (!options.rpcUrl) throw new Error('"rpcUrl" not provided: the embedded wallet needs a node');
    const provider = await keyProvider(await keyOf(options), options.rpcUrl);
    this.provider = provider;
    this.account = firstAccount([provider.address]);
    this.chainId = hexChainId(await provider.request({ method: "eth_chainId" }));
    return { provider, chainId: this.chainId, account: this.account };
  }
}

async function keyOf(options: KeystoreOptions): Promise<`0x${string}`> {
  if ("privateKey" in options && options.privateKey !== undefined) {
    if (!/^0x[0-9a-fA-F]{64}$/.test(options.privateKey))
      throw new Error("A private key is 0x and 64 hex digits");
    return `0x${options.privateKey.slice(2)}`;
  }
  if ("keystore" in options && options.keystore) return decryptKey(options.keystore, options.password ?? "");
  throw new Error("The embedded wallet needs a keystore with its password, or a private key");
}
