import type { Abi, AbiFunction, AbiParameter, Hex } from "viem";
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import {
  type Draft,
  DraftError,
  type DraftReading,
  emptyDraft,
  matchesType,
  parseDraft,
} from "../../money/abiDraft.ts";
import { signatureOf } from "./abi.ts";

/** Functions of tokens whose only number is an amount of the token. */
const AMOUNT_FUNCTIONS: readonly string[] = [
  "transfer(address,uint256)",
  "transferFrom(address,address,uint256)",
  "approve(address,uint256)",
  "increaseAllowance(address,uint256)",
  "decreaseAllowance(address,uint256)",
  "mint(address,uint256)",
  "burn(uint256)",
  "burnFrom(address,uint256)",
];

/** The drafts of a function without arguments. Amounts of a fungible token begin in its unit rather than in its smallest one. */
export function emptyDrafts(item: AbiFunction, token: { decimals: number } | undefined): Draft[] {
  const isAmount = ({ type }: AbiParameter) =>
    type === "uint256" && AMOUNT_FUNCTIONS.includes(signatureOf(item)) && (token?.decimals ?? 0) > 0;
  return item.inputs.map((input) => (isAmount(input) ? ` e${token?.decimals}` : emptyDraft(input)));
}

/** The initial drafts of a function: the arguments in the URL if they match. */
export function initialDrafts(
  item: AbiFunction,
  args: string | undefined,
  token: { decimals: number } | undefined,
): Draft[] {
  const empty = emptyDrafts(item, token);
  if (args === undefined) return empty;
  try {
    const parsed: unknown = JSON.parse(args);
    if (!Array.isArray(parsed)) return empty;
    return item.inputs.map((input, i) => {
      const draft: unknown = parsed[i];
      return matchesType(input, draft) ? draft : emptyDraft(input);
    });
  } catch {
    return empty;
  }
}

/** Parses all arguments, numbers by the locale. Returns the first error. */
export function parseArguments(
  item: AbiFunction,
  drafts: readonly Draft[],
  reading: DraftReading,
): { args: unknown[] } | { problem: DraftError } {
  try {
    return {
      args: item.inputs.map((input, i) =>
        parseDraft(input, drafts[i] ?? "", input.name || `input ${i}`, reading),
      ),
    };
  } catch (error) {
    if (error instanceof DraftError) return { problem: error };
    throw error;
  }
}

export function encodeCall(item: AbiFunction, args: unknown[]): Hex {
  const abi: Abi = [item];
  return encodeFunctionData({ abi, functionName: item.name, args });
}

/** Decodes the result of a call. Throws if it does not match the ABI. */
export function decodeResult(item: AbiFunction, response: unknown): readonly unknown[] {
  if (item.outputs.length === 0) return [];
  const abi: Abi = [item];
  const data: Hex = `0x${String(response).slice(2)}`;
  if (data === "0x") throw new Error("The contract returned no data. It may not have this function.");
  const decoded: unknown = decodeFunctionResult({ abi, functionName: item.name, data });
  return item.outputs.length === 1 ? [decoded] : Array.isArray(decoded) ? decoded : [];
}
