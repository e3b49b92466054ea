import type { Eip1193Provider } from "./eip1193.ts";
import { addressOfName } from "./ens.ts";
import type { TransactionCall } from "./send.ts";
import { getSigner } from "./signer.ts";
import type { WaitOptions } from "./timeouts.ts";

/** An integer: decimal or hex string, bigint, or another library's big number. */
export type IntegerLike = string | number | bigint | { toString(): string };

/** Amounts are in the smallest unit (wei for the native currency). */
export interface TransferOptions extends WaitOptions {
  type?: "native" | "erc20" | "erc721" | "erc1155";
  /** An address, or a name (`alice.eth`) that is resolved. */
  receiver?: string;
  amount?: IntegerLike;
  contractAddress?: string;
  contract_address?: string;
  tokenId?: IntegerLike;
  token_id?: IntegerLike;
  /** Always treated as `evm`, as in Moralis. */
  system?: string;
}

const REQUIRED = {
  native: ["receiver", "amount"],
  erc20: ["receiver", "amount", "contractAddress"],
  erc721: ["receiver", "tokenId", "contractAddress"],
  erc1155: ["receiver", "tokenId", "amount", "contractAddress"],
} as const;

type TransferType = keyof typeof REQUIRED;

/**
 * Without outputs: some early ERC-20 contracts return nothing instead of true, and the result of a sent
 * transaction is not used.
 */
const SIGNATURES = {
  erc20: "function transfer(address to, uint256 amount)",
  erc721: "function safeTransferFrom(address from, address to, uint256 tokenId)",
  erc1155: "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
} as const;

export async function transferCall(
  options: TransferOptions = {},
): Promise<TransactionCall & { from: string }> {
  const { type = "native" } = options;
  if (!Object.hasOwn(REQUIRED, type)) throw "Unsupported type";
  const fields = {
    receiver: options.receiver,
    amount: options.amount,
    contractAddress: options.contractAddress || options.contract_address,
    tokenId: options.tokenId || options.token_id || options.tokenId,
  };
  const missing = REQUIRED[type].filter((field) => !fields[field] && fields[field] !== 0n);
  if (missing.length > 0) throw missing.map((field) => `${field} is required`);
  const { account, provider } = await getSigner({ signal: options.signal });
  const tokenId = type === "erc721" || type === "erc1155" ? uint256(fields.tokenId, "Invalid token Id") : 0n;
  const amount = type === "erc721" ? 0n : uint256(fields.amount, "Invalid amount");
  const { contractAddress = "" } = fields;
  const receiver = await addressOf(fields.receiver ?? "", provider);
  const call = await callFor(type, account, { receiver, contractAddress, amount, tokenId });
  return { from: account, ...call };
}

interface Fields {
  receiver: string;
  amount: bigint;
  contractAddress: string;
  tokenId: bigint;
}

async function callFor(type: TransferType, sender: string, fields: Fields): Promise<TransactionCall> {
  const { encodeFunctionData, getAddress, parseAbi } = await import("viem/utils");
  const { amount, tokenId } = fields;
  const receiver = getAddress(fields.receiver);
  if (type === "native") return { to: receiver, value: amount };
  const to = getAddress(fields.contractAddress);
  const from = getAddress(sender);
  switch (type) {
    case "erc20": {
      const abi = parseAbi([SIGNATURES.erc20]);
      return { to, data: encodeFunctionData({ abi, args: [receiver, amount] }) };
    }
    case "erc721": {
      const abi = parseAbi([SIGNATURES.erc721]);
      return { to, data: encodeFunctionData({ abi, args: [from, receiver, tokenId] }) };
    }
    case "erc1155": {
      const abi = parseAbi([SIGNATURES.erc1155]);
      return { to, data: encodeFunctionData({ abi, args: [from, receiver, tokenId, amount, "0x"] }) };
    }
    default:
      throw new Error(`Unknown transfer type: "${type}"`);
  }
}

/** Resolves names, which contain a dot. Throws if the name is not registered. */
async function addressOf(receiver: string, provider: Eip1193Provider): Promise<string> {
  if (!receiver.includes(".")) return receiver;
  const address = await addressOfName(receiver, provider);
  if (address) return address;
  throw new Error(`The name ${receiver} does not resolve to an address`);
}

function uint256(value: IntegerLike | undefined, message: string): bigint {
  // Unsafe integers may already be rounded.
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Error(message);
  const text = String(value ?? "");
  if (/^(\d+|0x[0-9a-fA-F]+)$/.test(text) && BigInt(text) < 1n << 256n) return BigInt(text);
  throw new Error(message);
}
