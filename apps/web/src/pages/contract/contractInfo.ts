import { callNode, type Eip1193Provider } from "@purse/client";
import { isNodeConnectionError } from "@purse/ui";
import type { Abi } from "viem";
import type { AppChain } from "../../settings.ts";
import type { Standard } from "./abi.ts";
import { detectAbi, mergeAbis } from "./detectAbi.ts";

/** EIP-1967 storage slot of the implementation address, and of the beacon. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
/** Storage slots of older proxies: EIP-1822 and early OpenZeppelin. */
const LEGACY_SLOTS = [
  "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7",
  "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
];
/** EIP-1167 minimal proxies and EIP-7702 delegated accounts. */
const CLONE = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/i;
const DELEGATED = /^0xef0100([0-9a-f]{40})$/i;
/** A Safe proxy implements masterCopy() and stores its implementation in slot 0. */
const SAFE_MASTER_COPY = "a619486e";
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
/** `implementation()` and `supportsInterface(bytes4)`. */
const IMPLEMENTATION_CALL = "0x5c60da1b";
const SUPPORTS_INTERFACE_CALL = "0x01ffc9a7";
const INTERFACES: readonly [Standard, string][] = [
  ["erc721", "80ac58cd"],
  ["erc1155", "d9b67a26"],
];
/** `totalSupply()` and `decimals()`: contracts with both are ERC-20 tokens. */
const TOKEN_CALLS = ["0x18160ddd", "0x313ce567"];

export type RpcRequest = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Returns the JSON-RPC function of a chain: the wallet's if it is on that chain, otherwise the configured node's. */
export function rpcRequestFor(
  chain: AppChain,
  provider: Eip1193Provider | null,
  walletChain: string | null,
): RpcRequest | undefined {
  if (provider && walletChain === chain.hexId)
    return (method, params) => provider.request({ method, params });
  const { rpcUrl } = chain;
  return rpcUrl ? (method, params) => callNode(rpcUrl, method, params) : undefined;
}

export interface ContractInfo {
  isContract: boolean;
  /** The implementation of a proxy, lower-case hex. */
  implementation: string | undefined;
  /** Known functions found in the code of the contract or its implementation; undefined if there are none. */
  detectedAbi: Abi | undefined;
  standard: Standard | undefined;
  /** The decimals of a token. */
  decimals: number | undefined;
}

export async function readContractInfo(request: RpcRequest, address: string): Promise<ContractInfo> {
  const code = await request("eth_getCode", [address, "latest"]);
  if (typeof code !== "string" || code.length <= 2) {
    return {
      isContract: false,
      implementation: undefined,
      detectedAbi: undefined,
      standard: undefined,
      decimals: undefined,
    };
  }
  const [implementation, { standard, decimals }] = await Promise.all([
    readImplementation(request, address, code),
    readStandard(request, address),
  ]);
  const implementationCode = implementation ? await request("eth_getCode", [implementation, "latest"]) : "";
  const [own, others] = [detectAbi(code), detectAbi(String(implementationCode))];
  return {
    isContract: true,
    implementation,
    standard,
    decimals,
    detectedAbi: own && others ? mergeAbis(own, others) : (others ?? own),
  };
}

async function readImplementation(
  request: RpcRequest,
  address: string,
  code: string,
): Promise<string | undefined> {
  const [, hardCoded] = CLONE.exec(code) ?? DELEGATED.exec(code) ?? [];
  if (hardCoded) return `0x${hardCoded.toLowerCase()}`;
  const at = async (slot: string) => addressIn(await request("eth_getStorageAt", [address, slot, "latest"]));
  const slots = [IMPLEMENTATION_SLOT, ...LEGACY_SLOTS, ...(code.includes(SAFE_MASTER_COPY) ? ["0x0"] : [])];
  const direct = (await Promise.all(slots.map(at))).find((detectedAbi) => detectedAbi !== undefined);
  if (direct) return direct;
  const beacon = await at(BEACON_SLOT);
  return beacon && addressIn(await tryCall(request, beacon, IMPLEMENTATION_CALL));
}

async function readStandard(
  request: RpcRequest,
  address: string,
): Promise<{ standard: Standard | undefined; decimals: number | undefined }> {
  const answers = await Promise.all(
    INTERFACES.map(([, id]) => tryCall(request, address, `${SUPPORTS_INTERFACE_CALL}${id.padEnd(64, "0")}`)),
  );
  const detectedAbi = INTERFACES.find((_, i) => /^0x0{63}1$/.test(String(answers[i])));
  if (detectedAbi) return { standard: detectedAbi[0], decimals: undefined };
  const token = await Promise.all(TOKEN_CALLS.map((data) => tryCall(request, address, data)));
  if (!token.every((result) => /^0x[0-9a-f]{64}$/i.test(String(result)))) {
    return { standard: undefined, decimals: undefined };
  }
  const decimals = Number(token[1]);
  return { standard: "erc20", decimals: decimals <= 36 ? decimals : undefined };
}

/** Returns undefined if the call reverts. Rejects if the node does not respond. */
export async function tryCall(request: RpcRequest, to: string, data: string): Promise<unknown> {
  return request("eth_call", [{ to, data }, "latest"]).catch((error: unknown) => {
    if (isNodeConnectionError(error)) throw error;
    return undefined;
  });
}

function addressIn(word: unknown): string | undefined {
  const [, address] = /^0x0{24}([0-9a-f]{40})$/i.exec(String(word)) ?? [];
  return address && !/^0+$/.test(address) ? `0x${address.toLowerCase()}` : undefined;
}
