import { createRequire } from "node:module";
import { isJsonObject, type JsonValue } from "@purse/protocol";
import type { HostRequest } from "./workerMessages.ts";

/** An EIP-1193 provider. */
interface ChainProvider {
  request(call: { method: string; params?: JsonValue[] }): Promise<unknown>;
}

type Constructor = new (provider: ChainProvider, network?: string) => object;

/** ethers 5 and a provider of a chain. */
interface ChainEthers {
  ethers: object;
  provider: object;
}

/**
 * `web3ByChain` and `ethersByChain` of Moralis v1. The libraries are those that the cloud code has installed: web3 1 and
 * ethers 5. Requests go to the nodes of this server.
 */
export interface ChainLibraries {
  /** Throws Error if web3 is not installed. */
  web3ByChain(chain: string | number): object;
  /** The same as `web3ByChain`. */
  web3ForChain(chain: string | number): object;
  /** Throws Error if ethers 5 is not installed. */
  ethersByChain(chain: string | number): ChainEthers;
}

/** `file` is the cloud code, from whose folder packages are found. */
export function createChainLibraries(
  file: string,
  callHost: (request: HostRequest) => Promise<unknown>,
): ChainLibraries {
  const load = (name: string, version: string): unknown => {
    try {
      return createRequire(file)(name);
    } catch (error) {
      throw new Error(`${name} is not installed: install "${name}@${version}" beside the cloud code`, {
        cause: error,
      });
    }
  };
  const providerOf = (chain: string | number): ChainProvider => ({
    request: ({ method, params = [] }) =>
      callHost({ kind: "chainCall", chain: String(chain), method, params: [...params] }),
  });
  const web3ByChain = (chain: string | number): object => {
    const module = load("web3", "1");
    const Web3 = isJsonObject(module) ? (memberOf(module, "Web3") ?? memberOf(module, "default")) : module;
    if (!isConstructor(Web3)) throw new Error('The installed web3 is not "web3@1"');
    return new Web3(providerOf(chain));
  };
  return {
    web3ByChain,
    web3ForChain: web3ByChain,
    ethersByChain(chain) {
      const ethers = memberOf(load("ethers", "5"), "ethers");
      const Web3Provider = memberOf(memberOf(ethers, "providers"), "Web3Provider");
      if (typeof ethers !== "object" || ethers === null || !isConstructor(Web3Provider))
        throw new Error('The installed ethers is not "ethers@5"');
      return { ethers, provider: new Web3Provider(providerOf(chain), "any") };
    },
  };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function isConstructor(value: unknown): value is Constructor {
  return typeof value === "function";
}
