import { connection, currentConnection, reconfigure } from "./connection.ts";
import type { EthersLibrary, EthersProvider } from "./ethersLibrary.ts";
import type { Eip1193Provider } from "./wallet/eip1193.ts";

const MISSING =
  'ethers 5 is not there: install "ethers@5" and call loadEthers(), or give it to Moralis.start({ ethers })';

/**
 * Brings ethers 5 for old code that uses `Moralis.web3` and `Moralis.web3Library` as its objects. `load` is for
 * applications that bring it some other way. Throws where it is not installed.
 */
export async function loadEthers(load: () => Promise<unknown> = installed): Promise<EthersLibrary> {
  const module: unknown = await load().catch((error: unknown) => {
    throw new Error(MISSING, { cause: error });
  });
  const library = isObject(module) ? Reflect.get(module, "ethers") : undefined;
  if (!isEthers(library)) throw new Error(MISSING);
  reconfigure({ ethers: library });
  return library;
}

/** The library that was brought. Throws where none was. */
export function web3Library(): EthersLibrary {
  const library = ethersOrNone();
  if (library) return library;
  throw new Error(MISSING);
}

export function ethersOrNone(): EthersLibrary | undefined {
  return currentConnection()?.ethers;
}

const wrapped = new WeakMap<Eip1193Provider, EthersProvider>();

/** A wallet's provider as ethers' Web3Provider, the same for the same wallet; as it is, without ethers. */
export function web3Of(provider: Eip1193Provider): Eip1193Provider | EthersProvider {
  const { ethers } = connection();
  if (!ethers) return provider;
  const known = wrapped.get(provider);
  if (known instanceof ethers.providers.Web3Provider) return known;
  // "any": wallets change their chain without anybody making a new object.
  const made = new ethers.providers.Web3Provider(provider, "any");
  wrapped.set(provider, made);
  return made;
}

async function installed(): Promise<unknown> {
  // Bundlers let a package be missing where its import can fail.
  try {
    return await import("ethers");
  } catch (error) {
    throw new Error(MISSING, { cause: error });
  }
}

/** Version 6 has no `providers`; code written for 5 would fail later and less clearly. */
function isEthers(value: unknown): value is EthersLibrary {
  return isObject(value) && isObject(Reflect.get(value, "providers")) && "BigNumber" in value;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" || typeof value === "function") && value !== null;
}
