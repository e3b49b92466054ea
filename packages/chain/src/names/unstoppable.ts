import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { namehash } from "viem/ens";
import type { ChainNode } from "../node/chainNode.ts";

const READER = parseAbi(["function getMany(string[] keys, uint256 tokenId) view returns (string[] values)"]);
const KEY = "crypto.ETH.address";

/** Top-level domains of Unstoppable Domains. */
const TOP_LEVEL_DOMAINS: ReadonlySet<string> = new Set([
  "888",
  "altimist",
  "anime",
  "binanceus",
  "bitcoin",
  "blockchain",
  "crypto",
  "dao",
  "go",
  "hi",
  "klever",
  "kresus",
  "manga",
  "nft",
  "polygon",
  "pudgy",
  "stepn",
  "unstoppable",
  "wallet",
  "x",
  "zil",
]);

export function isUnstoppable(name: string): boolean {
  return TOP_LEVEL_DOMAINS.has(name.slice(name.lastIndexOf(".") + 1));
}

/** The Ethereum address of a name from the ProxyReader of a chain, in lower-case hex; undefined if it has none. */
export async function unstoppableAddress(
  node: ChainNode,
  reader: string,
  name: string,
): Promise<string | undefined> {
  const args = [[KEY], BigInt(namehash(name))] as const;
  const data = encodeFunctionData({ abi: READER, functionName: "getMany", args });
  const [answer] = await node.readContracts([{ to: reader, data }], "latest");
  if (answer === undefined) return undefined;
  try {
    const [value = ""] = decodeFunctionResult({
      abi: READER,
      functionName: "getMany",
      data: `0x${answer.slice(2)}`,
    });
    return /^0x[0-9a-f]{40}$/i.test(value) ? value.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}
