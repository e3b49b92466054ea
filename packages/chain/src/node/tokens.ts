import { wordAt } from "../abi/words.ts";
import type { TokenMetadata, TokenMetadataReading } from "../model/tokens.ts";
import type { ChainNode } from "./chainNode.ts";
import { multicall } from "./multicall.ts";

/** Function selectors of EIP-20. */
const NAME = "0x06fdde03";
const SYMBOL = "0x95d89b41";
const DECIMALS = "0x313ce567";
const BALANCE_OF = "0x70a08231";
const TOTAL_SUPPLY = "0x18160ddd";
const ALLOWANCE = "0xdd62ed3e";
/** Function selectors of EIP-721; `isApprovedForAll` is also of EIP-1155. */
const OWNER_OF = "0x6352211e";
const GET_APPROVED = "0x081812fc";
const IS_APPROVED_FOR_ALL = "0xe985e9c5";

const MAX_NAME = 128;
const MAX_SYMBOL = 32;

/** Reads name, symbol and decimals of tokens, as far as available. Rejects with RpcError if the node fails. */
async function getTokenMetadata(
  node: ChainNode,
  tokens: readonly { address: string; standard: number }[],
): Promise<TokenMetadata[]> {
  const calls = tokens.flatMap(({ address: to }) => [NAME, SYMBOL, DECIMALS].map((data) => ({ to, data })));
  const results = await node.readContracts(calls, "latest");
  return tokens.map(({ address, standard }, i) => {
    const [name, symbol, decimals] = results.slice(i * 3, i * 3 + 3);
    return {
      address,
      standard,
      name: decodeText(name, MAX_NAME),
      symbol: decodeText(symbol, MAX_SYMBOL),
      decimals: decodeDecimals(decimals),
    };
  });
}

/** Like `getTokenMetadata`, with block and time, by which later changes are recognized. */
export async function readTokenMetadata(
  node: ChainNode,
  tokens: readonly { address: string; standard: number }[],
): Promise<TokenMetadataReading> {
  const readAt = Math.floor(Date.now() / 1000);
  const read = await getTokenMetadata(node, tokens);
  return { tokens: read, block: await node.getBlockNumber(), readAt };
}

/** Reads the total supply of a token at one block, in its smallest unit; undefined if the contract returns none. */
export async function getTotalSupply(
  node: ChainNode,
  token: string,
  block: number | "latest",
): Promise<bigint | undefined> {
  const [result] = await node.readContracts([{ to: token, data: TOTAL_SUPPLY }], block);
  return wordAt(result, 0);
}

/**
 * Reads the balances of one owner at one block, in the tokens' smallest units; undefined if a contract returns none.
 */
export async function getBalances(
  node: ChainNode,
  owner: string,
  tokens: string[],
  block: number,
): Promise<(bigint | undefined)[]> {
  const data = BALANCE_OF + padAddress(owner);
  const results = await multicall(
    node,
    tokens.map((to) => ({ to, data })),
    block,
  );
  return results.map((result) => wordAt(result, 0));
}

/** Reads an allowance in the token's smallest unit; undefined if the contract returns none. */
export async function getAllowance(
  node: ChainNode,
  token: string,
  owner: string,
  spender: string,
): Promise<bigint | undefined> {
  const data = ALLOWANCE + padAddress(owner) + padAddress(spender);
  const [result] = await node.readContracts([{ to: token, data }], "latest");
  return wordAt(result, 0);
}

/** An approval to check: of an amount, of one NFT, or of all NFTs of a collection. */
export interface ApprovalQuery {
  kind: "amount" | "token" | "all";
  token: string;
  spender: string;
  /** 32 bytes; null except for one NFT. */
  tokenId: string | null;
}

/**
 * Reads what approvals of an owner allow at one block: the allowance in the token's smallest unit, or 1 for NFTs; 0 if
 * they are not in effect, or the contract returns nothing.
 */
export async function getApprovals(
  node: ChainNode,
  owner: string,
  approvals: readonly ApprovalQuery[],
  block: number,
): Promise<bigint[]> {
  const calls = approvals.map(({ kind, token: to, spender, tokenId }) => {
    const parties = padAddress(owner) + padAddress(spender);
    if (kind === "amount") return [{ to, data: ALLOWANCE + parties }];
    if (kind === "all") return [{ to, data: IS_APPROVED_FOR_ALL + parties }];
    const id = (tokenId ?? "").slice(2);
    return [
      { to, data: GET_APPROVED + id },
      { to, data: OWNER_OF + id },
    ];
  });
  const results = (await multicall(node, calls.flat(), block)).map((result) => wordAt(result, 0)).values();
  return approvals.map(({ kind, spender }) => {
    const value = results.next().value ?? 0n;
    if (kind === "amount") return value;
    if (kind === "all") return value === 1n ? 1n : 0n;
    // The owner of an approval can have sold the token.
    const isOwner = results.next().value === BigInt(owner);
    return isOwner && value !== 0n && value === BigInt(spender) ? 1n : 0n;
  });
}

function padAddress(address: string): string {
  return address.slice(2).padStart(64, "0");
}

/**
 * Decodes an ABI string or, for old contracts, bytes32. Truncates the text and removes control
 * characters, except for the joiners of emoji and of some scripts.
 */
export function decodeText(result: string | undefined, max: number): string | null {
  const bytes = Buffer.from(result?.slice(2) ?? "", "hex");
  if (bytes.length < 32) return null;
  const content = bytes.length === 32 ? bytes.subarray(0, textEnd(bytes)) : abiStringBytes(bytes);
  if (!content) return null;
  // If a character is cut, only that character is lost.
  const text = new TextDecoder().decode(content.subarray(0, max * 4));
  return [...text.replace(/(?![\u200C\u200D])[\p{Cc}\p{Cf}]/gu, "")].slice(0, max).join("");
}

function abiStringBytes(bytes: Buffer): Buffer | undefined {
  const offset = sizeAt(bytes, 0);
  const length = offset === undefined ? undefined : sizeAt(bytes, offset);
  if (offset === undefined || length === undefined) return undefined;
  return bytes.subarray(offset + 32, offset + 32 + length);
}

/** A length or an offset, in a 32-byte word; undefined if it exceeds the bytes. */
export function sizeAt(bytes: Buffer, offset: number): number | undefined {
  if (offset + 32 > bytes.length) return undefined;
  const word = BigInt(`0x${bytes.subarray(offset, offset + 32).toString("hex")}`);
  return word <= BigInt(bytes.length) ? Number(word) : undefined;
}

function textEnd(bytes: Buffer): number {
  const zero = bytes.indexOf(0);
  return zero < 0 ? bytes.length : zero;
}

function decodeDecimals(result: string | undefined): number | null {
  const decimals = wordAt(result, 0);
  return decimals !== undefined && decimals <= 255n ? Number(decimals) : null;
}
