import { askedWallet } from "./askedWallet.ts";
import {
  type AbstractWeb3Connector,
  type ChainDescription,
  type ChainSwitching,
  offers,
} from "./Connector.ts";
import { hexChainId } from "./eip1193.ts";
import { type WaitOptions, withinTime } from "./waiting.ts";
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
  { chain, ...waiting }: SwitchOptions = {},
): Promise<void> {
  // Connectors skip a switch to their known chain, which may be stale if the wallet emits no events.
  const { connector } = await askedWallet(waiting);
  if (!offers(connector, "switchNetwork")) throw unsupported("switchNetwork", connector);
  const change = () => withinTime(connector.switchNetwork(chainId), waiting);
  const hex = hexChainId(chainId);
  try {
    await change();
  } catch (error) {
    if (!chain || hex === null || codeOf(error) !== UNKNOWN_CHAIN) throw error;
    if (!offers(connector, "addNetwork")) throw unsupported("addNetwork", connector);
    await withinTime(connector.addNetwork({ ...chain, chainId: hex }), waiting);
    // Some wallets switch when they add a chain.
    if ((await askedWallet(waiting)).chainId !== hex) await change();
  }
  if (isWeb3Enabled()) await askedWallet(waiting);
}

/** Adds a chain to the wallet; its currency has 18 decimals. Throws if the connector cannot add chains. */
export async function addNetwork(
  chainId: string | number,
  chainName: string,
  currencyName: string,
  currencySymbol: string,
  rpcUrl: string,
  blockExplorerUrl?: string,
  waiting: WaitOptions = {},
): Promise<void> {
  const { connector } = enabledWallet();
  if (!offers(connector, "addNetwork")) throw unsupported("addNetwork", connector);
  const hex = hexChainId(chainId);
  if (hex === null) throw new Error(`"${chainId}" is not a chain id`);
  const currency = { currencyName, currencySymbol };
  const chain: ChainDescription = { chainId: hex, chainName, ...currency, rpcUrl, blockExplorerUrl };
  await withinTime(connector.addNetwork(chain), waiting);
}

function unsupported(name: keyof ChainSwitching, connector: AbstractWeb3Connector): Error {
  return new Error(`Cannot call ${name}, as it does not exist on connector type "${connector.type}"`);
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
