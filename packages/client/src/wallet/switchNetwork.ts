import { getActiveAccount } from "./activeAccount.ts";
import {
  type AbstractWeb3Connector,
  type ChainDescription,
  type ChainSwitching,
  supports,
} from "./Connector.ts";
import { hexChainId, requireChainId } from "./eip1193.ts";
import { type WaitOptions, withTimeout } from "./timeouts.ts";
import { enabledWallet, isWeb3Enabled } from "./wallet.ts";

/** The chain to add if the wallet does not know it, and how long to wait. */
export interface SwitchOptions extends WaitOptions {
  /** Added to the wallet first if the wallet does not know the chain (4902). */
  chain?: Omit<ChainDescription, "chainId"> | undefined;
}

const UNKNOWN_CHAIN = 4902;

/** Switches the wallet's chain. Throws if the connector cannot switch, and 4902 if the wallet does not know the chain. */
export async function switchNetwork(
  chainId: string | number,
  { chain, ...waitOptions }: SwitchOptions = {},
): Promise<void> {
  // Connectors skip a switch to their known chain, which may be stale if the wallet emits no events.
  const { connector } = await getActiveAccount(waitOptions);
  if (!supports(connector, "switchNetwork")) throw unsupported("switchNetwork", connector);
  const requestSwitch = () => withTimeout(connector.switchNetwork(chainId), waitOptions);
  const hex = hexChainId(chainId);
  try {
    await requestSwitch();
  } catch (error) {
    if (!chain || hex === null || codeOf(error) !== UNKNOWN_CHAIN) throw error;
    if (!supports(connector, "addNetwork")) throw unsupported("addNetwork", connector);
    await withTimeout(connector.addNetwork({ ...chain, chainId: hex }), waitOptions);
    // Some wallets switch when they add a chain.
    if ((await getActiveAccount(waitOptions)).chainId !== hex) await requestSwitch();
  }
  if (isWeb3Enabled()) await getActiveAccount(waitOptions);
}

/** Adds a chain to the wallet; its currency has 18 decimals. Throws if the connector cannot add chains. */
export async function addNetwork(
  chainId: string | number,
  chainName: string,
  currencyName: string,
  currencySymbol: string,
  rpcUrl: string,
  blockExplorerUrl?: string,
  waitOptions: WaitOptions = {},
): Promise<void> {
  const { connector } = enabledWallet();
  if (!supports(connector, "addNetwork")) throw unsupported("addNetwork", connector);
  const currency = { currencyName, currencySymbol };
  const chain: ChainDescription = {
    chainId: requireChainId(chainId),
    chainName,
    ...currency,
    rpcUrl,
    blockExplorerUrl,
  };
  await withTimeout(connector.addNetwork(chain), waitOptions);
}

function unsupported(name: keyof ChainSwitching, connector: AbstractWeb3Connector): Error {
  return new Error(`Cannot call ${name}, as it does not exist on connector type "${connector.type}"`);
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
