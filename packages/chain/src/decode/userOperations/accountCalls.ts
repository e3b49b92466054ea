import { decodeFunctionData, type Hex, parseAbi } from "viem";

/** A call that a smart account makes. */
export interface AccountCall {
  to: string;
  /** wei */
  value: bigint;
  data: string;
}

const singleAbi = parseAbi(["function execute(address to, uint256 value, bytes data)"]);
/** Of SimpleAccount for EntryPoint 0.6, 0.7 and 0.8. */
const batchAbi = parseAbi(["function executeBatch(address[] to, bytes[] data)"]);
const valuesAbi = parseAbi(["function executeBatch(address[] to, uint256[] values, bytes[] data)"]);
const callsAbi = parseAbi([
  "struct Call { address to; uint256 value; bytes data; }",
  "function executeBatch(Call[] calls)",
]);

const DECODERS: readonly ((data: Hex) => AccountCall[])[] = [
  (data) => {
    const { args } = decodeFunctionData({ abi: singleAbi, data });
    return [{ to: args[0], value: args[1], data: args[2] }];
  },
  (data) => {
    const [targets, inputs] = decodeFunctionData({ abi: batchAbi, data }).args;
    return targets.map((to, i) => ({ to, value: 0n, data: inputs[i] ?? "0x" }));
  },
  (data) => {
    const [targets, values, inputs] = decodeFunctionData({ abi: valuesAbi, data }).args;
    // An empty list of values stands for zeros.
    return targets.map((to, i) => ({ to, value: values[i] ?? 0n, data: inputs[i] ?? "0x" }));
  },
  (data) => [...decodeFunctionData({ abi: callsAbi, data }).args[0]],
];

/**
 * The calls in the call data of a user operation, if the account has the functions `execute` and `executeBatch` of the
 * reference implementation; undefined for others.
 */
export function decodeAccountCalls(callData: string): AccountCall[] | undefined {
  for (const decode of DECODERS) {
    try {
      return decode(`0x${callData.slice(2)}`).map((call) => ({ ...call, to: call.to.toLowerCase() }));
    } catch {
      // Another function.
    }
  }
  return undefined;
}
