import { type Eip1193Provider, firstAccount } from "./eip1193.ts";
import { type TransactionReceipt, waitForReceipt } from "./transaction.ts";
import { enabledWallet } from "./wallet.ts";

/** Amounts are in the smallest unit (wei for native), decimal. */
export interface TransferOptions {
  type?: "native" | "erc20" | "erc721" | "erc1155";
  receiver?: string;
  amount?: string | number | bigint;
  contractAddress?: string;
  contract_address?: string;
  tokenId?: string | number | bigint;
  token_id?: string | number | bigint;
}

export interface SentTransaction {
  hash: string;
  /** Resolves once the transaction has so many confirmations (1 by default). */
  wait(confirmations?: number): Promise<TransactionReceipt>;
}

const REQUIRED = {
  native: ["receiver", "amount"],
  erc20: ["receiver", "amount", "contractAddress"],
  erc721: ["receiver", "tokenId", "contractAddress"],
  erc1155: ["receiver", "tokenId", "amount", "contractAddress"],
} as const;

const SIGNATURES = {
  erc20: "function transfer(address to, uint256 amount)",
  erc721: "function safeTransferFrom(address from, address to, uint256 tokenId)",
  erc1155: "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
} as const;

/**
 * Sends native currency or a token from the connected wallet. As the old client did, it throws the
 * text `Unsupported type` for another type and a list of texts for missing fields.
 */
export async function transfer(options: TransferOptions = {}): Promise<SentTransaction> {
  const { type = "native" } = options;
  if (!Object.hasOwn(REQUIRED, type)) throw "Unsupported type";
  const fields = {
    receiver: options.receiver,
    amount: options.amount,
    contractAddress: options.contractAddress ?? options.contract_address,
    tokenId: options.tokenId ?? options.token_id,
  };
  const missing = REQUIRED[type].filter((field) => !fields[field] && fields[field] !== 0n);
  if (missing.length > 0) throw missing.map((field) => `${field} is required`);
  const { provider, account } = enabledWallet();
  // People switch accounts meanwhile: the one that will sign is asked for now.
  const sender =
    firstAccount(await provider.request({ method: "eth_accounts" }).catch(() => undefined)) ?? account;
  if (!sender) throw new Error("Sender address not found");
  const tokenId = type === "erc721" || type === "erc1155" ? wholeNumber(fields.tokenId) : 0n;
  const call = await callFor(type, sender, { ...fields, tokenId });
  const hash = await provider.request({ method: "eth_sendTransaction", params: [{ from: sender, ...call }] });
  return sent(String(hash), provider);
}

function sent(hash: string, provider: Eip1193Provider): SentTransaction {
  return { hash, wait: (confirmations = 1) => waitForReceipt(hash, provider, confirmations) };
}

interface Fields {
  receiver: string | undefined;
  amount: string | number | bigint | undefined;
  contractAddress: string | undefined;
  tokenId: bigint;
}

async function callFor(type: keyof typeof REQUIRED, sender: string, fields: Fields): Promise<object> {
  const { encodeFunctionData, getAddress, parseAbi } = await import("viem/utils");
  const receiver = getAddress(fields.receiver ?? "");
  const amount = BigInt(fields.amount ?? 0);
  if (type === "native") return { to: receiver, value: `0x${amount.toString(16)}` };
  const to = getAddress(fields.contractAddress ?? "");
  const from = getAddress(sender);
  switch (type) {
    case "erc20":
      return {
        to,
        data: encodeFunctionData({ abi: parseAbi([SIGNATURES.erc20]), args: [receiver, amount] }),
      };
    case "erc721":
      return {
        to,
        data: encodeFunctionData({
          abi: parseAbi([SIGNATURES.erc721]),
          args: [from, receiver, fields.tokenId],
        }),
      };
    case "erc1155":
      return {
        to,
        data: encodeFunctionData({
          abi: parseAbi([SIGNATURES.erc1155]),
          args: [from, receiver, fields.tokenId, amount, "0x"],
        }),
      };
  }
}

/** A uint256. */
function wholeNumber(value: string | number | bigint | undefined): bigint {
  const text = String(value ?? "");
  if (/^(\d+|0x[0-9a-fA-F]+)$/.test(text) && BigInt(text) < 2n ** 256n) return BigInt(text);
  throw new Error("Invalid token Id");
}
