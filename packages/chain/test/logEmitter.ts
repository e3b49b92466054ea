import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Address, encodeFunctionData, type Hex, multicall3Abi, parseAbi, zeroAddress } from "viem";
import type { TestChain } from "./testChain.ts";

const emitterAbi = parseAbi(["function make(bytes32[] topics, bytes content)"]);

/** A log of a contract that `newLogEmitter` created. */
export interface EmittedLog {
  emitter: Address;
  topics: Hex[];
  data: Hex;
}

/** Creates a contract that executes several calls in one transaction. */
export async function newMulticall(chain: TestChain): Promise<Address> {
  const viem = dirname(createRequire(import.meta.url).resolve("viem/package.json"));
  const source = readFileSync(join(viem, "constants/contracts.ts"), "utf8");
  const code = /multicall3Bytecode =\s*'0x([0-9a-f]+)'/.exec(source)?.[1];
  if (!code) throw new Error("viem has no Multicall3");
  return (await chain.create(`0x${code}`)).contractAddress ?? zeroAddress;
}

/** Emits logs in one transaction, in order. */
export function emitLogs(chain: TestChain, multicall: Address, logs: readonly EmittedLog[]) {
  const calls = logs.map(({ emitter, topics, data }) => ({
    target: emitter,
    allowFailure: false,
    callData: encodeFunctionData({ abi: emitterAbi, functionName: "make", args: [topics, data] }),
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [calls] });
  return chain.send(0, multicall, data);
}
