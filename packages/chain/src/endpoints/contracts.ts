import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import {
  type AbiFunction,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  toFunctionSignature,
} from "viem";
import { abiEntries } from "../abi/abiEntries.ts";
import { argumentOf, fieldsOf, jsonOf } from "../abi/abiValues.ts";
import { asked, type ChainOf, type FollowedChain } from "./chainContext.ts";
import { routeOf } from "./routes.ts";

/** What a reading call may burn. */
const GAS = 30_000_000;

/** Runs functions of contracts that only read. */
export function contractRoutes(chainOf: ChainOf) {
  return [
    routeOf("runContractFunction", async ({ chain: selector, address, function_name, abi, params }) => {
      const chain = chainOf(selector);
      const called = functionOf(abi, function_name);
      const data = encodeFunctionData({ abi: [called], args: argumentsOf(called, params ?? {}) });
      const answer = await callContract(chain, address, data);
      return answerOf(called, answer, address, chain);
    }),
  ];
}

/** By name, or by signature where several have the name. Throws ProtocolError with HTTP 400. */
function functionOf(entries: JsonObject[], wanted: string): AbiFunction {
  const functions = abiEntries(entries).filter((entry): entry is AbiFunction => entry.type === "function");
  const signature = wanted.replace(/\s/g, "");
  const named = functions.filter((each) => each.name === wanted || toFunctionSignature(each) === signature);
  const [found] = named;
  if (!found) throw refused(`function_name "${wanted.slice(0, 100)}" is not a function of abi`);
  if (named.length > 1) {
    const signatures = named.map((each) => toFunctionSignature(each));
    throw refused(`function_name is ambiguous: name one of ${signatures.join(", ")}`);
  }
  if (found.stateMutability === "view" || found.stateMutability === "pure") return found;
  throw refused(
    `${toFunctionSignature(found)} changes the chain: only view and pure functions can be run here`,
  );
}

/** By the names of the inputs; those without one by their place. */
function argumentsOf(called: AbiFunction, params: JsonObject): unknown[] {
  return called.inputs.map((input, i) => {
    const name = input.name || String(i);
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined || value === null) throw refused(`${name} is required`);
    return argumentOf(value, input, name);
  });
}

async function callContract(chain: FollowedChain, to: string, data: Hex): Promise<Hex> {
  const outcome = await asked(chain, undefined, () => chain.node.run({ to, data, gas: GAS }, "latest"));
  if ("error" in outcome) throw refused(`the contract reverted: ${outcome.error.message.slice(0, 300)}`);
  return typeof outcome.result === "string" ? `0x${outcome.result.slice(2)}` : "0x";
}

/** One value by itself, several in an object. */
function answerOf(called: AbiFunction, data: Hex, address: string, chain: FollowedChain): JsonValue {
  const { outputs } = called;
  if (outputs.length === 0) return {};
  if (data === "0x")
    throw refused(`${address} gives no answer: chain "${chain.config.name}" has no such contract there`);
  let result: unknown;
  try {
    result = decodeFunctionResult({ abi: [called], data });
  } catch {
    throw refused(`the answer of ${address} is not what abi says: ${data.slice(0, 200)}`);
  }
  const [only] = outputs;
  if (outputs.length === 1 && only) return jsonOf(result, only);
  return typeof result === "object" && result !== null ? fieldsOf(result, outputs) : {};
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}
