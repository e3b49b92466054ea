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
 * Parses a pasted ABI: JSON, a compiler artifact, or Solidity signatures, one per line. Throws an Error with a message
 * for users.
 */
export function readPastedAbi(text: string): Abi {
  const trimmed = text.trim();
  if (trimmed === "") throw new Error("Paste the ABI first.");
  const abi = /^[[{]/.test(trimmed) ? fromJson(trimmed) : fromSignatures(trimmed);
  const usable = abi.filter((item) => item.type !== "function" || isComplete(item));
  if (!usable.some((item) => item.type === "function")) throw new Error("The ABI contains no functions.");
  return usable;
}

function fromJson(text: string): Abi {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("This is not JSON. Paste the whole list, from [ to ].");
  }
  const isOne = typeof Object(value).type === "string";
  const list: unknown = Array.isArray(value) ? value : isOne ? [value] : Object(value).abi;
  if (!Array.isArray(list)) throw new Error('Expected a JSON array, or an object with an "abi" array.');
  return list.map(withCurrentForm).filter(isItem);
}

/** Writes an entry of an old compiler as today's do: with `stateMutability`, and `uint256` in place of `uint`. */
function withCurrentForm(item: unknown): unknown {
  const { type = "function", constant, payable, stateMutability, inputs, outputs } = Object(item);
  const mutability = constant === true ? "view" : payable === true ? "payable" : "nonpayable";
  return {
    ...Object(item),
    type,
    inputs: withFullTypes(inputs),
    ...(type === "function" && {
      outputs: withFullTypes(outputs),
      stateMutability: stateMutability ?? mutability,
    }),
  };
}

function withFullTypes(parameters: unknown): unknown {
  if (!Array.isArray(parameters)) return parameters;
  return parameters.map((parameter: unknown) => {
    const { type, components } = Object(parameter);
    if (typeof type !== "string") return parameter;
    return {
      ...Object(parameter),
      type: type.replace(/^(u?int)(?=\[|$)/, "$1256"),
      ...(components !== undefined && { components: withFullTypes(components) }),
    };
  });
}

function fromSignatures(text: string): Abi {
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(/;$/, ""))
    .filter((line) => line !== "" && !line.startsWith("//"));
  try {
    const abi: Abi = parseAbi(lines);
    return abi;
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
  if (typeof type !== "string") return false;
  return !type.startsWith("tuple") || (Array.isArray(components) && components.every(isParameter));
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
