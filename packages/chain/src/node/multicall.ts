import { asHex } from "../model/hexBytes.ts";
import { chainPresetOf } from "../presets/chainPresets.ts";
import type { ChainNode, RequestOptions } from "./chainNode.ts";

/** Multicall3 on most chains (https://www.multicall3.com); it may be missing, or missing at older blocks. */
const MULTICALL3 = "0xca11bde05977b3631167028862be2a173976ca11";
/** Max call data of one Multicall3 call, in bytes. */
const BATCH_SIZE = 8_000;
/** Fewer calls are sent as a plain batch. */
const MIN_AGGREGATED_CALLS = 3;

type Call = { to: string; data: string };

/**
 * Executes calls at one block through Multicall3, or individually if it is not available; undefined for calls that
 * revert. Returns hex.
 */
export async function multicall(
  node: ChainNode,
  calls: Call[],
  block: number,
  options?: RequestOptions,
): Promise<(string | undefined)[]> {
  if (calls.length <= MIN_AGGREGATED_CALLS) return node.readContracts(calls, block, options);
  // Loaded on demand: the indexer's thread starts without it.
  const { callContract, createViemClient } = await import("./viemClient.ts");
  const config = {
    batch: { multicall: { batchSize: BATCH_SIZE } },
    chain: {
      id: node.chainId,
      name: "",
      nativeCurrency: { name: "", symbol: "", decimals: 18 },
      rpcUrls: { default: { http: [] } },
      contracts: { multicall3: { address: asHex(chainPresetOf(node.chainId)?.multicall3 ?? MULTICALL3) } },
    },
  } as const;
  const client = createViemClient(node, config, options);
  const results = await Promise.all(
    calls.map(({ to, data }) =>
      callContract(client, { to: asHex(to), data: asHex(data), blockNumber: BigInt(block) }),
    ),
  );
  // A call that uses all gas makes the following ones fail: failed calls are repeated individually.
  const failed = calls.filter((_, i) => results[i] === undefined);
  const retried = (await node.readContracts(failed, block, options)).values();
  return results.map((result) => result ?? retried.next().value);
}
