import { EncodedValues } from "../../abi/encodedValues.ts";
import type { EntryPoint } from "../../model/chainConfig.ts";

/** A user operation as it was sent to an EntryPoint. Gas limits are in units of gas, fees in wei per gas. */
export interface SentUserOperation {
  sender: string;
  nonce: bigint;
  /** Factory and its call data, if the account is to be created. */
  initCode: string;
  callData: string;
  callGasLimit: bigint;
  verificationGasLimit: bigint;
  preVerificationGas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** The paymaster and its data; `0x` if there is none. */
  paymasterAndData: string;
  signature: string;
  /** The contract that verifies the signatures of several accounts; null if there is none. */
  aggregator: string | null;
  /** Who gets the fees. */
  beneficiary: string;
}

/**
 * How the fields of an operation are encoded: each in a word of its own, or since version 0.7, gas limits and fees as
 * two numbers of 16 bytes that share a word.
 */
type Layout = "plain" | "packed";

/** Selectors of `handleOps(operations, beneficiary)` and `handleAggregatedOps(groups, beneficiary)`. */
const SELECTORS: Readonly<Record<Layout, { single: string; aggregated: string }>> = {
  plain: { single: "0x1fad948c", aggregated: "0x4b1d7cf5" },
  packed: { single: "0x765e827f", aggregated: "0xdbed18e0" },
};

/** Decodes the user operations in the input of a call of an EntryPoint; empty for other functions. */
export function decodeHandleOps(input: string, version: EntryPoint["version"]): SentUserOperation[] {
  const layout = version === "0.6" ? "plain" : "packed";
  try {
    return decodeOperations(input, layout);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function decodeOperations(input: string, layout: Layout): SentUserOperation[] {
  const { single, aggregated } = SELECTORS[layout];
  const selector = input.slice(0, 10);
  if (selector !== single && selector !== aggregated) return [];
  const data = EncodedValues.ofInput(input);
  const beneficiary = data.address(1);
  const decode = layout === "plain" ? decodePlain : decodePacked;
  const operationsOf = (list: EncodedValues, aggregator: string | null) =>
    list.tuples(0).map((operation) => ({ ...decode(operation), aggregator, beneficiary }));
  if (selector === single) return operationsOf(data, null);
  return data.tuples(0).flatMap((group) => operationsOf(group, group.address(1)));
}

type Operation = Omit<SentUserOperation, "aggregator" | "beneficiary">;

function decodePlain(operation: EncodedValues): Operation {
  return {
    sender: operation.address(0),
    nonce: operation.uint(1),
    initCode: operation.bytes(2),
    callData: operation.bytes(3),
    callGasLimit: operation.uint(4),
    verificationGasLimit: operation.uint(5),
    preVerificationGas: operation.uint(6),
    maxFeePerGas: operation.uint(7),
    maxPriorityFeePerGas: operation.uint(8),
    paymasterAndData: operation.bytes(9),
    signature: operation.bytes(10),
  };
}

function decodePacked(operation: EncodedValues): Operation {
  const [verificationGasLimit, callGasLimit] = halves(operation.word(4));
  const [maxPriorityFeePerGas, maxFeePerGas] = halves(operation.word(6));
  return {
    sender: operation.address(0),
    nonce: operation.uint(1),
    initCode: operation.bytes(2),
    callData: operation.bytes(3),
    callGasLimit,
    verificationGasLimit,
    preVerificationGas: operation.uint(5),
    maxFeePerGas,
    maxPriorityFeePerGas,
    paymasterAndData: operation.bytes(7),
    signature: operation.bytes(8),
  };
}

function halves(word: string): [bigint, bigint] {
  return [BigInt(`0x${word.slice(0, 32)}`), BigInt(`0x${word.slice(32)}`)];
}
