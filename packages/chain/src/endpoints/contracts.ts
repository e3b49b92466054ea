import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import {
  type AbiFunction,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  toFunctionSignature,
} from "viem";
import { parseAbiEntries } from "../abi/abiEntries.ts";
import { parseArgument, valuesToJson, valueToJson } from "../abi/abiValues.ts";
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
      const returnData = await callContract(chain, address, data);
      return decodeResult(abiFunction, returnData, address, chain);
    },
  } satisfies Partial<Handlers>;
}

/** Finds a function by name, or by signature for overloaded functions. Throws ProtocolError with HTTP 400. */
function findFunction(entries: JsonObject[], requested: string): AbiFunction {
  const functions = parseAbiEntries(entries).filter(
    (entry): entry is AbiFunction => entry.type === "function",
  );
  const signature = requested.replace(/\s/g, "");
  const matches = functions.filter(
    (each) => each.name === requested || toFunctionSignature(each) === signature,
  );
  const [found] = matches;
  if (!found) throw badRequest(`function_name "${requested.slice(0, 100)}" is not a function of abi`);
  if (matches.length > 1) {
    const signatures = matches.map((each) => toFunctionSignature(each));
    throw badRequest(`function_name is ambiguous: use one of ${signatures.join(", ")}`);
  }
  if (found.stateMutability === "view" || found.stateMutability === "pure") return found;
  throw badRequest(`${toFunctionSignature(found)} is not a view or pure function`);
}

/** Keyed by input name; inputs without a name are keyed by their index. */
function parseArguments(abiFunction: AbiFunction, params: JsonObject): unknown[] {
  return abiFunction.inputs.map((input, i) => {
    const name = input.name || String(i);
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined || value === null) throw badRequest(`${name} is required`);
    return parseArgument(value, input, name);
  });
}

async function callContract(chain: ChainContext, to: string, data: Hex): Promise<Hex> {
  const outcome = await withNodeErrors(chain, undefined, () =>
    chain.node.callWithError({ to, data, gas: CALL_GAS }, "latest"),
  );
  if ("error" in outcome) throw badRequest(`the contract reverted: ${outcome.error.message.slice(0, 300)}`);
  return typeof outcome.result === "string" ? `0x${outcome.result.slice(2)}` : "0x";
}

/** A single value is returned as such, several as an object. */
function decodeResult(abiFunction: AbiFunction, data: Hex, address: string, chain: ChainContext): JsonValue {
  const { outputs } = abiFunction;
  if (outputs.length === 0) return {};
  if (data === "0x")
    throw badRequest(
      `${address} returned no data: chain "${chain.config.name}" has no such contract at this address`,
    );
  let result: unknown;
  try {
    result = decodeFunctionResult({ abi: [abiFunction], data });
  } catch {
    throw badRequest(`the response of ${address} does not match abi: ${data.slice(0, 200)}`);
  }
  const [only] = outputs;
  if (outputs.length === 1 && only) return valueToJson(result, only);
  return typeof result === "object" && result !== null ? valuesToJson(result, outputs) : {};
}

function badRequest(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}
