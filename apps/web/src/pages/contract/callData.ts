import type { Abi, AbiFunction, Hex } from "viem";
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { type Draft, DraftError, emptyDraft, matchesType, parseDraft } from "../../money/abiDraft.ts";

/** The initial drafts of a function: the arguments in the URL if they match. */
export function initialDrafts(item: AbiFunction, args: string | undefined): Draft[] {
  const empty = item.inputs.map(emptyDraft);
  try {
    const parsed: unknown = JSON.parse(args ?? "[]");
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
  locale: string,
): { args: unknown[] } | { problem: DraftError } {
  try {
    return {
      args: item.inputs.map((input, i) =>
        parseDraft(input, drafts[i] ?? "", input.name || `input ${i}`, locale),
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
