import { connection, currentConnection, reconfigure } from "./connection.ts";
import type { EthersLibrary, EthersProvider } from "./ethersLibrary.ts";
import { importInstalled } from "./installedPackage.ts";
import type { Eip1193Provider } from "./wallet/eip1193.ts";

const MISSING =
  'ethers 5 is not installed: install "ethers@5" and pass it to Moralis.start({ ethers }), or call loadEthers(() => import("ethers"))';

/**
 * Loads ethers 5 for legacy code that uses `Moralis.web3` and `Moralis.web3Library`. Bundled
 * applications pass `load`, as `() => import("ethers")`; Node.js finds it itself. Throws if it is not installed.
 */
export async function loadEthers(load: () => Promise<unknown> = importEthers): Promise<EthersLibrary> {
  const module: unknown = await load().catch((error: unknown) => {
    throw new Error(MISSING, { cause: error });
  });
  const library = isObject(module) ? Reflect.get(module, "ethers") : undefined;
  if (!isEthers(library)) throw new Error(MISSING);
  reconfigure({ ethers: library });
  return library;
}

/** The loaded library. Throws if none was loaded. */
export function web3Library(): EthersLibrary {
  const library = loadedEthers();
  if (library) return library;
  throw new Error(MISSING);
}

export function loadedEthers(): EthersLibrary | undefined {
  return currentConnection()?.ethers;
}

const wrappers = new WeakMap<Eip1193Provider, EthersProvider>();

/** Wraps a provider into ethers' Web3Provider, always the same one; without ethers returns the provider. */
export function web3Of(provider: Eip1193Provider): Eip1193Provider | EthersProvider {
  const { ethers } = connection();
  if (!ethers) return provider;
  const known = wrappers.get(provider);
  if (known instanceof ethers.providers.Web3Provider) return known;
  // "any": the wallet may change its chain without a new provider being created.
  const wrapper = new ethers.providers.Web3Provider(provider, "any");
  wrappers.set(provider, wrapper);
  return wrapper;
}

function importEthers(): Promise<unknown> {
  return importInstalled("ethers");
}

/** Version 6 has no `providers`: code written for 5 would fail later with a less clear error. */
function isEthers(value: unknown): value is EthersLibrary {
  return isObject(value) && isObject(Reflect.get(value, "providers")) && "BigNumber" in value;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" || typeof value === "function") && value !== null;
}
