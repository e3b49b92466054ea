import { decodeFunctionData, type Hex, parseAbi } from "viem";
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

const FUNCTIONS = [
  "struct Aggregated { Operation[] operations; address aggregator; bytes signature; }",
  "function handleOps(Operation[] operations, address beneficiary)",
  "function handleAggregatedOps(Aggregated[] groups, address beneficiary)",
] as const;
const plainAbi = parseAbi([
  "struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }",
  ...FUNCTIONS,
]);
/** Since version 0.7, two numbers of 16 bytes share a word. */
const packedAbi = parseAbi([
  "struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }",
  ...FUNCTIONS,
]);

/** Decodes the user operations in the input of a call of an EntryPoint; empty for other functions. */
export function decodeHandleOps(input: string, version: EntryPoint["version"]): SentUserOperation[] {
  const data: Hex = `0x${input.slice(2)}`;
  try {
    return version === "0.6" ? decodePlain(data) : decodePacked(data);
  } catch {
    return [];
  }
}

function decodePlain(data: Hex): SentUserOperation[] {
  const { args } = decodeFunctionData({ abi: plainAbi, data });
  return groupsOf(args).flatMap(({ operations, ...context }) =>
    operations.map((operation) => ({ ...operation, ...context, sender: operation.sender.toLowerCase() })),
  );
}

function decodePacked(data: Hex): SentUserOperation[] {
  const { args } = decodeFunctionData({ abi: packedAbi, data });
  return groupsOf(args).flatMap(({ operations, ...context }) =>
    operations.map(({ accountGasLimits, gasFees, ...operation }) => {
      const [verificationGasLimit, callGasLimit] = halves(accountGasLimits);
      const [maxPriorityFeePerGas, maxFeePerGas] = halves(gasFees);
      return {
        ...operation,
        ...context,
        sender: operation.sender.toLowerCase(),
        callGasLimit,
        verificationGasLimit,
        maxFeePerGas,
        maxPriorityFeePerGas,
      };
    }),
  );
}

type Arguments<Operation> = readonly [
  readonly Operation[] | readonly { operations: readonly Operation[]; aggregator: string }[],
  string,
];

/** The operations by aggregator. */
function groupsOf<Operation extends object>([operations, receiver]: Arguments<Operation>) {
  const beneficiary = receiver.toLowerCase();
  return operations.map((each) =>
    "operations" in each
      ? { operations: each.operations, aggregator: each.aggregator.toLowerCase(), beneficiary }
      : { operations: [each], aggregator: null, beneficiary },
  );
}

function halves(word: string): [bigint, bigint] {
  return [BigInt(word.slice(0, 34)), BigInt(`0x${word.slice(34)}`)];
}
