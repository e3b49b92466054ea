import { type JsonObject, type JsonValue, ownValue } from "@purse/protocol";
import {
  type AbiFunction,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  toFunctionSignature,
} from "viem";
import { type AbiError, parseAbiEntries } from "../abi/abiEntries.ts";
import { parseArgument, valuesToJson, valueToJson } from "../abi/abiValues.ts";
import { invalid } from "../model/requestErrors.ts";
import type { RpcError } from "../node/rpcErrors.ts";
import { type ChainContext, type SelectChain, withNodeErrors } from "./chainContext.ts";
import type { Handlers } from "./routes.ts";

/** Gas limit of a call. */
const CALL_GAS = 30_000_000;

/** Executes view and pure functions of contracts. */
export function contractHandlers(selectChain: SelectChain) {
  return {
    runContractFunction: async ({ chain: selector, address, function_name, abi, params }) => {
      const chain = selectChain(selector);
      const abiFunction = findFunction(abi, function_name);
      const data = encodeFunctionData({
        abi: [abiFunction],
        args: parseArguments(abiFunction, params ?? {}),
      });
      const returnData = await callContract(chain, address, data, abi);
      return decodeResult(abiFunction, returnData, address, chain);
    },
  } satisfies Partial<Handlers>;
}

/** Finds a function by name, or by signature for overloaded functions. Throws ProtocolError with HTTP 400. */
function findFunction(entries: JsonObject[], requested: string): AbiFunction {
  const functions = parseAbiEntries(entries).filter(
    (entry): entry is AbiFunction => entry.type === "function",
  );
  const signature = requested.replace(/\s/g, "").replace(/\b(u?int)\b/g, "$1256");
  const matches = functions.filter(
    (each) => each.name === requested || toFunctionSignature(each) === signature,
  );
  const [found] = matches;
  if (!found) throw invalid(`function_name "${requested.slice(0, 100)}" is not a function of abi`);
  if (matches.length > 1) {
    const signatures = matches.map((each) => toFunctionSignature(each));
    throw invalid(`function_name is ambiguous: use one of ${signatures.join(", ")}`);
  }
  if (found.stateMutability === "view" || found.stateMutability === "pure") return found;
  throw invalid(`${toFunctionSignature(found)} is not a view or pure function`);
}

/** Keyed by input name; inputs without a name are keyed by their index. */
function parseArguments(abiFunction: AbiFunction, params: JsonObject): unknown[] {
  return abiFunction.inputs.map((input, i) => {
    const name = input.name || String(i);
    const value = ownValue(params, name);
    if (value === undefined || value === null) throw invalid(`${name} is required`);
    return parseArgument(value, input, name);
  });
}

async function callContract(chain: ChainContext, to: string, data: Hex, entries: JsonObject[]): Promise<Hex> {
  const outcome = await withNodeErrors(chain, undefined, () =>
    chain.node.callWithError({ to, data, gas: CALL_GAS }, "latest"),
  );
  if ("error" in outcome) throw invalid(`the contract reverted: ${describeRevert(outcome.error, entries)}`);
  return typeof outcome.result === "string" ? `0x${outcome.result.slice(2)}` : "0x";
}

const MAX_REASON = 300;

/** A custom error as its name and arguments if the ABI defines it; otherwise the message of the node. */
function describeRevert({ data, message }: RpcError, entries: JsonObject[]): string {
  const errors = parseAbiEntries(entries).filter((entry): entry is AbiError => entry.type === "error");
  const decoded = data === undefined ? undefined : decodeCustomError(errors, data);
  return (decoded ?? message).replaceAll(/\p{Cc}/gu, "").slice(0, MAX_REASON);
}

function decodeCustomError(errors: AbiError[], data: string): string | undefined {
  try {
    const { abiItem, args, errorName } = decodeErrorResult({ abi: errors, data: `0x${data.slice(2)}` });
    if (abiItem.type !== "error") return undefined;
    const values = abiItem.inputs.map((input, i) => {
      const value = JSON.stringify(valueToJson(args?.[i], input));
      return input.name ? `${input.name}: ${value}` : value;
    });
    return `${errorName}(${values.join(", ")})`;
  } catch {
    return undefined;
  }
}

/** A single value is returned as such, several as an object. */
function decodeResult(abiFunction: AbiFunction, data: Hex, address: string, chain: ChainContext): JsonValue {
  const { outputs } = abiFunction;
  if (outputs.length === 0) return {};
  if (data === "0x")
    throw invalid(
      `${address} returned no data: chain "${chain.config.name}" has no such contract at this address`,
    );
  let result: unknown;
  try {
    result = decodeFunctionResult({ abi: [abiFunction], data });
  } catch {
    throw invalid(`the response of ${address} does not match abi: ${data.slice(0, 200)}`);
  }
  const [only] = outputs;
  if (outputs.length === 1 && only) return valueToJson(result, only);
  return typeof result === "object" && result !== null ? valuesToJson(result, outputs) : {};
}
