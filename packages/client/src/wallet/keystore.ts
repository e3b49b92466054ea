import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { decryptKey, type KeystoreFile } from "./keystoreFile.ts";
import { callNode, keyProvider, privateKeyOf } from "./rpcProvider.ts";

/** Options of the embedded wallet: a key, or a keystore file with its password. */
export type KeystoreOptions = {
  /** The node that transactions are sent to. */
  rpcUrl?: string | undefined;
} & ({ keystore?: KeystoreFile; password?: string } | { privateKey?: string });

/** A wallet inside the page, for development and for users without one: its key is unlocked for this page only. */
export class KeystoreConnector extends AbstractWeb3Connector {
  override type = "keystore";

  override async activate(options: KeystoreOptions = {}): Promise<Activation> {
    if (!options.rpcUrl) throw new Error('"rpcUrl" not provided: the embedded wallet needs a node');
    const { rpcUrl } = options;
    const node = (method: string, params?: readonly unknown[] | object) => callNode(rpcUrl, method, params);
    const provider = await keyProvider(await unlockKey(options), node);
    return this.completeActivation(
      provider,
      [provider.address],
      await provider.request({ method: "eth_chainId" }),
    );
  }
}

async function unlockKey(options: KeystoreOptions): Promise<`0x${string}`> {
  if ("privateKey" in options && options.privateKey !== undefined) return privateKeyOf(options.privateKey);
  if ("keystore" in options && options.keystore) return decryptKey(options.keystore, options.password ?? "");
  throw new Error("The embedded wallet needs a keystore with its password, or a private key");
}
