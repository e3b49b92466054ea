import type { AbiFunction, Hex } from "viem";
import { loadedEthers } from "../ethers.ts";
import {
  type AbiJson,
  type ContractInterface,
  isReadOnly,
  parseAbiJson,
  signatureOf,
  withoutNames,
} from "./abi.ts";
import { encodeArgument, namedList } from "./abiValues.ts";
import type { Eip1193Provider } from "./eip1193.ts";
import { RevertError, revertOf } from "./revert.ts";
import { sendTransaction } from "./send.ts";
import { type WaitOptions, withTimeout } from "./timeouts.ts";
import type { IntegerLike } from "./transferCall.ts";
import { enabledWallet } from "./wallet.ts";

/** A contract call with an ABI that is known at run time. */
export interface FunctionCall {
  contractAddress: string;
  abi: AbiJson;
  /** The name, or the signature of an overloaded function: `stock(string,uint256)`. */
  functionName: string;
  /** Wei. */
  msgValue?: IntegerLike | undefined;
  /** By the names in the ABI; unnamed inputs by their index. */
  params?: Readonly<Record<string, unknown>> | undefined;
}

/** How long to wait for the wallet. */
export interface CallOptions extends WaitOptions {
  /** Accepted for legacy code; ignored. */
  overrides?: object | undefined;
}

export async function executeFunction(call: FunctionCall & CallOptions): Promise<unknown> {
  const { contractAddress, functionName, msgValue, params = {}, signal, timeoutMs } = call;
  const { provider, account } = enabledWallet();
  const contract = parseAbiJson(call.abi);
  const abiFunction = findFunction(contract.functions, functionName ?? "");
  if (!isReadOnly(abiFunction) && !params.from && !account) throw new Error("From address is required");
  const args = argumentsOf(abiFunction, params);
  const value = msgValue ? weiOf(msgValue) : 0n;
  if (value > 0n && abiFunction.stateMutability !== "payable") {
    throw new Error(`${signatureOf(abiFunction)} takes no value: it is not payable`);
  }
  const request = { to: await addressOf(contractAddress), value, data: await callData(abiFunction, args) };
  if (isReadOnly(abiFunction))
    return readFunction(abiFunction, request, { provider, account, contract, signal, timeoutMs });
  return sendTransaction(request, { abi: contract.abi, signal, timeoutMs });
}

function findFunction(functions: readonly AbiFunction[], nameOrSignature: string): AbiFunction {
  const [, name = nameOrSignature, types] = /^([^(]+)\((.*)\)$/s.exec(nameOrSignature) ?? [];
  const named = functions.filter((each) => each.name === name);
  const [first] = named;
  if (!first) throw new Error("Function does not exist in abi");
  const possible = () => named.map(signatureOf).join(" ,");
  if (types === undefined) {
    if (named.length === 1) return first;
    throw new Error(
      `Multiple function definitions found in the abi. Please include the topic in the functionName. Possible funcationNames: ${possible()}`,
    );
  }
  const signature = `${name}(${plainTypes(types)})`;
  const exact = named.find((each) => signatureOf(each) === signature);
  // Legacy code writes "tuple" for any tuple; accepted if only one function matches.
  const byInputTypes = named.filter(
    ({ inputs }) => inputs.map(({ type }) => type).join(",") === plainTypes(types),
  );
  const abiFunction = exact ?? (byInputTypes.length === 1 ? byInputTypes[0] : undefined);
  if (abiFunction) return abiFunction;
  throw new Error(
    `Function with the provided topic does not exist in abi. Possible funcationNames: ${possible()}`,
  );
}

/** Normalizes "uint, tuple(string a, uint b)" to "uint256,(string,uint256)". */
function plainTypes(types: string): string {
  return types
    .replace(/([\w\]])\s+\w+(?=\s*[,)]|\s*$)/g, "$1")
    .replace(/\s+/g, "")
    .replace(/tuple\(/g, "(")
    .replace(/\b(u?int)(?![\d\w])/g, "$1256");
}

function argumentsOf({ inputs }: AbiFunction, params: Readonly<Record<string, unknown>>): unknown[] {
  const argumentValues = inputs.map(({ name }, index) =>
    name ? params[name] : (params[""] ?? params[index]),
  );
  const missing = inputs.filter(({ name }, index) => name && isMissing(argumentValues[index]));
  if (missing.length > 0) throw missing.map(({ name }) => `${name} is required`);
  return inputs.map((input, index) =>
    encodeArgument(input, argumentValues[index], input.name || `input ${index}`),
  );
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || Number.isNaN(value);
}

async function callData(abiFunction: AbiFunction, args: readonly unknown[]): Promise<Hex> {
  const { concatHex, encodeAbiParameters, toFunctionSelector } = await import("viem/utils");
  return concatHex([
    toFunctionSelector(signatureOf(abiFunction)),
    encodeAbiParameters(abiFunction.inputs, args),
  ]);
}

interface ReadContext extends WaitOptions {
  provider: Eip1193Provider;
  account: string | null;
  contract: ContractInterface;
}

async function readFunction(
  abiFunction: AbiFunction,
  { to, data }: { to: string; data: Hex },
  { provider, account, contract, signal, timeoutMs }: ReadContext,
): Promise<unknown> {
  const params = [{ ...(account && { from: account }), to, data }, "latest"];
  const pendingCall = withTimeout(provider.request({ method: "eth_call", params }), { signal, timeoutMs });
  const output = await pendingCall.catch(async (error: unknown) => {
    signal?.throwIfAborted();
    const revert = await revertOf(error, contract.abi);
    throw revert ? new RevertError(revert, { cause: error }) : error;
  });
  const { outputs } = abiFunction;
  if (outputs.length > 0 && (output === "0x" || typeof output !== "string")) {
    throw new Error(`Cannot find function "${abiFunction.name}" on the contract`);
  }
  const { decodeAbiParameters } = await import("viem/utils");
  const values: readonly unknown[] =
    outputs.length === 0 ? [] : decodeAbiParameters(outputs.map(withoutNames), hexText(output));
  const list = namedList(outputs, values, integerDecoder());
  return outputs.length === 1 ? list[0] : list;
}

/** Legacy code expects BigNumbers if ethers is loaded. */
function integerDecoder(): (value: bigint) => unknown {
  const ethers = loadedEthers();
  return ethers ? (value) => ethers.BigNumber.from(value.toString()) : (value) => value;
}

async function addressOf(text: string): Promise<Hex> {
  const { getAddress } = await import("viem/utils");
  return getAddress(text);
}

function hexText(value: unknown): Hex {
  return `0x${String(value).slice(2)}`;
}

function weiOf(value: IntegerLike): bigint {
  const text = String(value);
  if (/^(\d+|0x[0-9a-f]+)$/i.test(text)) return BigInt(text);
  throw new Error("msgValue must be a whole number of wei");
}
