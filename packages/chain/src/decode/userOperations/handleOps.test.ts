import { type Address, encodeFunctionData, type Hex, pad, parseAbi, toFunctionSelector, toHex } from "viem";
import { describe, expect, it } from "vitest";
import { decodeAccountCalls } from "./accountCalls.ts";
import { decodeHandleOps, type SentUserOperation } from "./handleOps.ts";

/* Compares the decoders with calls that viem has encoded. */

const AGGREGATED = "struct Aggregated { Operation[] operations; address aggregator; bytes signature; }";
const FUNCTIONS = [
  AGGREGATED,
  "function handleOps(Operation[] operations, address beneficiary)",
  "function handleAggregatedOps(Aggregated[] groups, address beneficiary)",
] as const;
const plainAbi = parseAbi([
  "struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }",
  ...FUNCTIONS,
]);
const packedAbi = parseAbi([
  "struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }",
  ...FUNCTIONS,
]);

const addressOf = (digit: string): Address => `0x${digit.repeat(40)}`;
const BENEFICIARY = addressOf("b");
const AGGREGATOR = addressOf("c");

/** An operation whose fields are all different, of different lengths. */
function operation(i: number) {
  return {
    sender: addressOf(String(i)),
    nonce: (1n << 200n) + BigInt(i),
    initCode: i % 2 === 0 ? "0x" : pad("0x1", { size: 40 + i }),
    callData: pad("0x2", { size: 32 * i }),
    callGasLimit: 100n + BigInt(i),
    verificationGasLimit: 200n + BigInt(i),
    preVerificationGas: 300n + BigInt(i),
    maxFeePerGas: 400n + BigInt(i),
    maxPriorityFeePerGas: 500n + BigInt(i),
    paymasterAndData: pad("0x3", { size: 52 }),
    signature: pad("0x4", { size: 65 }),
  } as const;
}
type Sent = ReturnType<typeof operation>;

const half = (number: bigint) => toHex(number, { size: 16 }).slice(2);
const packed = ({
  callGasLimit,
  verificationGasLimit,
  maxFeePerGas,
  maxPriorityFeePerGas,
  ...rest
}: Sent) => {
  const accountGasLimits: Hex = `0x${half(verificationGasLimit)}${half(callGasLimit)}`;
  const gasFees: Hex = `0x${half(maxPriorityFeePerGas)}${half(maxFeePerGas)}`;
  return { ...rest, accountGasLimits, gasFees };
};

const OPERATIONS = [operation(1), operation(2), operation(3)];
const groupsOf = <Operation>(operations: readonly Operation[]) => [
  { operations: operations.slice(0, 2), aggregator: AGGREGATOR, signature: "0x12" as const },
  { operations: operations.slice(2), aggregator: AGGREGATOR, signature: "0x" as const },
];
const decoded = (aggregator: string | null): SentUserOperation[] =>
  OPERATIONS.map((each) => ({ ...each, aggregator, beneficiary: BENEFICIARY }));

describe.each(["0.6", "0.7", "0.8"] as const)("decodeHandleOps(), for EntryPoint %s", (version) => {
  const single =
    version === "0.6"
      ? encodeFunctionData({ abi: plainAbi, functionName: "handleOps", args: [OPERATIONS, BENEFICIARY] })
      : encodeFunctionData({
          abi: packedAbi,
          functionName: "handleOps",
          args: [OPERATIONS.map(packed), BENEFICIARY],
        });
  const aggregated =
    version === "0.6"
      ? encodeFunctionData({
          abi: plainAbi,
          functionName: "handleAggregatedOps",
          args: [groupsOf(OPERATIONS), BENEFICIARY],
        })
      : encodeFunctionData({
          abi: packedAbi,
          functionName: "handleAggregatedOps",
          args: [groupsOf(OPERATIONS.map(packed)), BENEFICIARY],
        });

  it("returns the operations that were encoded", () => {
    expect(decodeHandleOps(single, version)).toEqual(decoded(null));
  });

  it("returns the operations of all aggregators", () => {
    expect(decodeHandleOps(aggregated, version)).toEqual(decoded(AGGREGATOR));
  });

  it("returns nothing for other functions and for truncated input", () => {
    expect(decodeHandleOps(toFunctionSelector("function transfer(address,uint256)"), version)).toEqual([]);
    expect(decodeHandleOps("0x", version)).toEqual([]);
    for (const length of [10, 74, 138, 500, single.length - 64])
      expect(decodeHandleOps(single.slice(0, length), version)).toEqual([]);
  });
});

describe("decodeAccountCalls()", () => {
  const CALLS = [
    { to: addressOf("d"), value: 5n, data: pad("0x5", { size: 36 }) },
    { to: addressOf("e"), value: 0n, data: "0x" },
  ] as const;
  const [first] = CALLS;
  const encodings: [string, Hex, object][] = [
    [
      "execute",
      encodeFunctionData({
        abi: parseAbi(["function execute(address to, uint256 value, bytes data)"]),
        args: [first.to, first.value, first.data],
      }),
      [first],
    ],
    [
      "executeBatch without values",
      encodeFunctionData({
        abi: parseAbi(["function executeBatch(address[] to, bytes[] data)"]),
        args: [CALLS.map(({ to }) => to), CALLS.map(({ data }) => data)],
      }),
      CALLS.map((call) => ({ ...call, value: 0n })),
    ],
    [
      "executeBatch with values",
      encodeFunctionData({
        abi: parseAbi(["function executeBatch(address[] to, uint256[] values, bytes[] data)"]),
        args: [CALLS.map(({ to }) => to), CALLS.map(({ value }) => value), CALLS.map(({ data }) => data)],
      }),
      CALLS,
    ],
    [
      "executeBatch with no values",
      encodeFunctionData({
        abi: parseAbi(["function executeBatch(address[] to, uint256[] values, bytes[] data)"]),
        args: [CALLS.map(({ to }) => to), [], CALLS.map(({ data }) => data)],
      }),
      CALLS.map((call) => ({ ...call, value: 0n })),
    ],
    [
      "executeBatch of structures",
      encodeFunctionData({
        abi: parseAbi([
          "struct Call { address to; uint256 value; bytes data; }",
          "function executeBatch(Call[] calls)",
        ]),
        args: [CALLS],
      }),
      CALLS,
    ],
  ];

  it.each(encodings)("returns the calls of %s", (_, input, calls) => {
    expect(decodeAccountCalls(input)).toEqual(calls);
  });

  it("returns undefined for other functions, truncated input, and calls that are larger than the input", () => {
    expect(decodeAccountCalls("0x12345678")).toBeUndefined();
    for (const [, input] of encodings) expect(decodeAccountCalls(input.slice(0, -70))).toBeUndefined();
    const word = (number: number) => number.toString(16).padStart(64, "0");
    const sharing = [32, 1_000, ...Array.from({ length: 1_000 }, () => 32_000), 0, 0, 96, 3_200];
    const input = `0x34fcd5be${sharing.map(word).join("")}${"ab".repeat(3_200)}`;
    expect(decodeAccountCalls(input)).toBeUndefined();
  });
});
