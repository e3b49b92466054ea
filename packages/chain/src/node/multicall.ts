import type { Hex } from "viem";
// "viem/utils" loads half as much as "viem": the worker starts faster.
import { decodeFunctionResult, encodeFunctionData, isHex, parseAbi } from "viem/utils";
import type { ChainNode } from "./chainNode.ts";

const multicall3Abi = parseAbi([
  "struct Call { address target; bool allowFailure; bytes callData; }",
  "struct Answer { bool success; bytes returnData; }",
  "function aggregate3(Call[] calls) payable returns (Answer[])",
]);

/** Address of Multicall3 on most chains (https://www.multicall3.com); it may be missing, or missing at older blocks. */
const MULTICALL3 = "0xca11bde05977b3631167028862be2a173976ca11";
const BATCH_SIZE = 200;
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
): Promise<(string | undefined)[]> {
  if (calls.length <= MIN_AGGREGATED_CALLS) return node.readContracts(calls, block);
  const results: (string | undefined)[] = [];
  for (let offset = 0; offset < calls.length; offset += BATCH_SIZE) {
    const chunk = calls.slice(offset, offset + BATCH_SIZE);
    const aggregated = await aggregate(node, chunk, block);
    if (!aggregated) {
      return results.concat(await node.readContracts(calls.slice(offset), block));
    }
    // A call that uses all gas makes the following ones fail: failed calls are repeated individually.
    const failed = chunk.filter((_, i) => aggregated[i] === undefined);
    const retried = (await node.readContracts(failed, block)).values();
    results.push(...aggregated.map((result) => result ?? retried.next().value));
  }
  return results;
}

/** undefined if Multicall3 is not available or the call fails. */
async function aggregate(
  node: ChainNode,
  calls: Call[],
  block: number,
): Promise<(Hex | undefined)[] | undefined> {
  const list = calls.map(({ to, data }) => ({
    target: asHex(to),
    allowFailure: true,
    callData: asHex(data),
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [list] });
  const [result] = await node.readContracts([{ to: MULTICALL3, data }], block, AGGREGATE_GAS);
  if (!isHex(result) || result.length <= 2) return undefined;
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: result });
  return results.map(({ success, returnData }) => (success ? returnData : undefined));
}

/** Min gas limit for calls that nodes allow. */
const AGGREGATE_GAS = 25_000_000;

function asHex(text: string): Hex {
  return `0x${text.slice(2)}`;
}
