import { type Activation, type ConnectorClass, KeystoreConnector, type KeystoreOptions } from "@purse/client";
import { type AppSettings, defaultChain } from "../settings.ts";
import { DEVELOPMENT_WALLET } from "./developmentWalletName.ts";

type Options = KeystoreOptions & { address?: string };

/**
 * A connector for the funded accounts of the local chain. The server publishes their keys, so the browser only stores
 * the address. After a reload the account is reconnected like an installed wallet.
 */
export function developmentConnector(settings: AppSettings): ConnectorClass {
  const accountOf = ({ address }: Options) =>
    settings.devWallets.find((wallet) => wallet.address.toLowerCase() === address?.toLowerCase());
  return class DevelopmentConnector extends KeystoreConnector {
    override type = DEVELOPMENT_WALLET;

    override async activate(options: Options = {}): Promise<Activation> {
      const privateKey = accountOf(options)?.privateKey;
      if (privateKey === undefined) throw new Error("This test account does not exist.");
      return super.activate({ privateKey, rpcUrl: defaultChain(settings)?.rpcUrl ?? undefined });
    }

    override async isAuthorized(options: Options = {}): Promise<boolean> {
      return accountOf(options) !== undefined;
    }

    override persistedOptions({ address }: Options = {}): Record<string, unknown> {
      return { address: address?.toLowerCase() };
    }
  };
}
