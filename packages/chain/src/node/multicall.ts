import type { Hex } from "viem";
// Half of what "viem" would load: the thread that follows chains starts sooner.
import { decodeFunctionResult, encodeFunctionData, isHex, parseAbi } from "viem/utils";
import type { ChainNode } from "./chainNode.ts";

const multicall3Abi = parseAbi([
  "struct Call { address target; bool allowFailure; bytes callData; }",
  "struct Answer { bool success; bytes returnData; }",
  "function aggregate3(Call[] calls) payable returns (Answer[])",
]);

/** Where Multicall3 is on most chains (https://www.multicall3.com); on others it is not, or was not yet. */
const MULTICALL3 = "0xca11bde05977b3631167028862be2a173976ca11";
const CALLS_AT_ONCE = 200;
/** Below this a batch of single calls is no more work. */
const FEW = 3;

type Call = { to: string; data: string };

/**
 * Reads contracts at one block by way of Multicall3, without it call by call; undefined for a call that fails in
 * the contract. Answers in hex.
 */
export async function readTogether(
  node: ChainNode,
  calls: Call[],
  block: number,
): Promise<(string | undefined)[]> {
  if (calls.length <= FEW) return node.readContracts(calls, block);
  const answers: (string | undefined)[] = [];
  for (let at = 0; at < calls.length; at += CALLS_AT_ONCE) {
    const chunk = calls.slice(at, at + CALLS_AT_ONCE);
    const together = await aggregate(node, chunk, block);
    if (!together) {
      return answers.concat(await node.readContracts(calls.slice(at), block));
    }
    // One that burns all gas leaves none to those after it: what failed here is asked again by itself.
    const failed = chunk.filter((_, i) => together[i] === undefined);
    const alone = (await node.readContracts(failed, block)).values();
    answers.push(...together.map((answer) => answer ?? alone.next().value));
  }
  return answers;
}

/** undefined as a whole where there is no Multicall3, or it does not come through. */
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
  const [answer] = await node.readContracts([{ to: MULTICALL3, data }], block, AGGREGATE_GAS);
  if (!isHex(answer) || answer.length <= 2) return undefined;
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: answer });
  return results.map(({ success, returnData }) => (success ? returnData : undefined));
}

/** What nodes allow a call at least. */
const AGGREGATE_GAS = 25_000_000;

function asHex(text: string): Hex {
  return `0x${text.slice(2)}`;
}
