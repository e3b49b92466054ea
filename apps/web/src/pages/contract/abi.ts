import { abiItems, abiMutability, abiType, isAbiFunction, isRecord, tryParseJson } from "@purse/protocol";
import { type Abi, type AbiFunction, erc20Abi, erc721Abi, parseAbi } from "viem";
import { toFunctionSignature } from "viem/utils";

/** Standard ABIs, for contracts without a known one. */
export const STANDARDS = {
  erc20: { label: "ERC-20 token", abi: erc20Abi },
  erc721: { label: "ERC-721 collection", abi: erc721Abi },
  erc1155: {
    label: "ERC-1155 items",
    abi: parseAbi([
      "function balanceOf(address account, uint256 id) view returns (uint256)",
      "function balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])",
      "function isApprovedForAll(address account, address operator) view returns (bool)",
      "function uri(uint256 id) view returns (string)",
      "function setApprovalForAll(address operator, bool approved)",
      "function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)",
      "function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)",
      "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
      "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
      "event ApprovalForAll(address indexed account, address indexed operator, bool approved)",
    ]),
  },
} as const satisfies Record<string, { label: string; abi: Abi }>;

export type Standard = keyof typeof STANDARDS;

/**
 * Parses a pasted ABI: JSON, the file of a build tool, or Solidity signatures, one per line or in a list. Throws an Error
 * with a message for users.
 */
export function readPastedAbi(text: string): Abi {
  if (text.trim() === "") throw new Error("Paste the ABI first.");
  const items = abiItems(text);
  if (!items) {
    throw new Error(
      tryParseJson(text) !== undefined
        ? 'Expected a JSON array, or an object with an "abi" array.'
        : "This is not JSON. Paste the whole list, from [ to ].",
    );
  }
  const signatures = items.filter((item) => typeof item === "string");
  const abi = [...items.filter(isRecord).map(withCurrentForm).filter(isItem), ...fromSignatures(signatures)];
  const usable = abi.filter((item) => item.type !== "function" || isComplete(item));
  if (!usable.some((item) => item.type === "function")) throw new Error("The ABI contains no functions.");
  return usable;
}

/** Writes an entry of an old compiler as today's do: with `stateMutability`, and `uint256` in place of `uint`. */
function withCurrentForm(item: Readonly<Record<string, unknown>>): unknown {
  const inputs = withFullTypes(item.inputs);
  if (!isAbiFunction(item)) return { ...item, inputs };
  const stateMutability = abiMutability(item) ?? "nonpayable";
  return { ...item, type: "function", inputs, outputs: withFullTypes(item.outputs), stateMutability };
}

function withFullTypes(parameters: unknown): unknown {
  if (!Array.isArray(parameters)) return parameters;
  return parameters.map((parameter: unknown) => {
    if (!isRecord(parameter)) return parameter;
    const { type, components } = parameter;
    return {
      ...parameter,
      type: abiType(type) ?? type,
      ...(components !== undefined && { components: withFullTypes(components) }),
    };
  });
}

function fromSignatures(signatures: readonly string[]): Abi {
  if (signatures.length === 0) return [];
  try {
    return parseAbi(signatures);
  } catch {
    throw new Error(
      "Invalid signature. Expected a line such as: function balanceOf(address) view returns (uint256)",
    );
  }
}

/** Whether an item is a complete function, event or error; old compilers omit fields. */
function isItem(item: unknown): item is Abi[number] {
  if (typeof item !== "object" || item === null) return false;
  const { type, name, inputs } = Object(item);
  const isNamed = ["function", "event", "error"].includes(type) && typeof name === "string";
  return isNamed && Array.isArray(inputs) && inputs.every(isParameter);
}

function isParameter(parameter: unknown): boolean {
  if (typeof parameter !== "object" || parameter === null) return false;
  const { type, components } = Object(parameter);
  if (abiType(type) === undefined) return false;
  return !String(type).startsWith("tuple") || (Array.isArray(components) && components.every(isParameter));
}

function isComplete(item: AbiFunction): boolean {
  return Array.isArray(item.outputs) && item.outputs.every(isParameter) && signatureOf(item) !== "";
}

/** The signature that identifies a function: `transfer(address,uint256)`. */
export function signatureOf(item: AbiFunction): string {
  try {
    return toFunctionSignature(item);
  } catch {
    return "";
  }
}

export function functionsOf(abi: Abi): { reads: AbiFunction[]; writes: AbiFunction[] } {
  const functions = abi.filter((item) => item.type === "function");
  const isRead = ({ stateMutability }: AbiFunction) =>
    stateMutability === "view" || stateMutability === "pure";
  return { reads: functions.filter(isRead), writes: functions.filter((item) => !isRead(item)) };
}
