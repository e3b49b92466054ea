import { callNode, type Eip1193Provider } from "@purse/client";
import type { Abi } from "viem";
import { isNodeUnanswered } from "../../query/failures.ts";
import type { AppChain } from "../../settings.ts";
import type { Standard } from "./abi.ts";
import { foundAbi, withMore } from "./foundAbi.ts";

/** EIP-1967: where proxies keep the address of what they run, and of a beacon that knows it. */
const IMPLEMENTATION = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
/** The places that older proxies have: EIP-1822, and OpenZeppelin's first. */
const OLDER = [
  "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7",
  "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
];
/** EIP-1167: code that does nothing but run another's; EIP-7702: a wallet that runs another's. */
const CLONE = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/i;
const DELEGATED = /^0xef0100([0-9a-f]{40})$/i;
/** A Safe's proxy answers masterCopy() by itself, and keeps what it runs at place 0. */
const SAFE = "a619486e";
const BEACON = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
/** `implementation()` and `supportsInterface(bytes4)`. */
const IMPLEMENTATION_CALL = "0x5c60da1b";
const SUPPORTS = "0x01ffc9a7";
const INTERFACES: readonly [Standard, string][] = [
  ["erc721", "80ac58cd"],
  ["erc1155", "d9b67a26"],
];
/** `totalSupply()` and `decimals()`: together they are a token's. */
const TOKEN_CALLS = ["0x18160ddd", "0x313ce567"];

export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** The way to a chain's node: the wallet where it is on that chain, else a node that the server names. */
export function nodeOf(
  chain: AppChain,
  provider: Eip1193Provider | null,
  walletChain: string | null,
): Ask | undefined {
  if (provider && walletChain === chain.hexId)
    return (method, params) => provider.request({ method, params });
  const { rpcUrl } = chain;
  return rpcUrl ? (method, params) => callNode(rpcUrl, method, params) : undefined;
}

export interface ContractFacts {
  isContract: boolean;
  /** What it runs, where it is a proxy. Lower-case hex. */
  implementation: string | undefined;
  /** The functions that are known by its code, or by that of what it runs; undefined where none is. */
  found: Abi | undefined;
  standard: Standard | undefined;
  /** By how many digits a token's point is moved. */
  decimals: number | undefined;
}

export async function readFacts(ask: Ask, address: string): Promise<ContractFacts> {
  const code = await ask("eth_getCode", [address, "latest"]);
  if (typeof code !== "string" || code.length <= 2) {
    return {
      isContract: false,
      implementation: undefined,
      found: undefined,
      standard: undefined,
      decimals: undefined,
    };
  }
  const [implementation, { standard, decimals }] = await Promise.all([
    readImplementation(ask, address, code),
    readStandard(ask, address),
  ]);
  const run = implementation ? await ask("eth_getCode", [implementation, "latest"]) : "";
  const [own, others] = [foundAbi(code), foundAbi(String(run))];
  return {
    isContract: true,
    implementation,
    standard,
    decimals,
    found: own && others ? withMore(own, others) : (others ?? own),
  };
}

async function readImplementation(ask: Ask, address: string, code: string): Promise<string | undefined> {
  const [, written] = CLONE.exec(code) ?? DELEGATED.exec(code) ?? [];
  if (written) return `0x${written.toLowerCase()}`;
  const at = async (place: string) => addressIn(await ask("eth_getStorageAt", [address, place, "latest"]));
  const places = [IMPLEMENTATION, ...OLDER, ...(code.includes(SAFE) ? ["0x0"] : [])];
  const direct = (await Promise.all(places.map(at))).find((found) => found !== undefined);
  if (direct) return direct;
  const beacon = await at(BEACON);
  return beacon && addressIn(await callOf(ask, beacon, IMPLEMENTATION_CALL));
}

async function readStandard(
  ask: Ask,
  address: string,
): Promise<{ standard: Standard | undefined; decimals: number | undefined }> {
  const answers = await Promise.all(
    INTERFACES.map(([, id]) => callOf(ask, address, `${SUPPORTS}${id.padEnd(64, "0")}`)),
  );
  const found = INTERFACES.find((_, i) => /^0x0{63}1$/.test(String(answers[i])));
  if (found) return { standard: found[0], decimals: undefined };
  const token = await Promise.all(TOKEN_CALLS.map((data) => callOf(ask, address, data)));
  if (!token.every((answer) => /^0x[0-9a-f]{64}$/i.test(String(answer)))) {
    return { standard: undefined, decimals: undefined };
  }
  const decimals = Number(token[1]);
  return { standard: "erc20", decimals: decimals <= 36 ? decimals : undefined };
}

/** undefined where the contract refuses: it has no such function then. Rejects where the node does not answer. */
async function callOf(ask: Ask, to: string, data: string): Promise<unknown> {
  return ask("eth_call", [{ to, data }, "latest"]).catch((error: unknown) => {
    if (isNodeUnanswered(error)) throw error;
    return undefined;
  });
}

function addressIn(word: unknown): string | undefined {
  const [, address] = /^0x0{24}([0-9a-f]{40})$/i.exec(String(word)) ?? [];
  return address && !/^0+$/.test(address) ? `0x${address.toLowerCase()}` : undefined;
}
