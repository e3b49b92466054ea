import type { TokenFacts } from "../model/tokens.ts";
import type { ChainNode } from "./chainNode.ts";
import { readTogether } from "./multicall.ts";

/** Selectors of EIP-20's functions. */
const NAME = "0x06fdde03";
const SYMBOL = "0x95d89b41";
const DECIMALS = "0x313ce567";
const BALANCE_OF = "0x70a08231";
const ALLOWANCE = "0xdd62ed3e";

const MAX_NAME = 128;
const MAX_SYMBOL = 32;

/** What tokens say of themselves, as far as they do. Rejects with RpcError where the node cannot tell. */
export async function askTokens(
  node: ChainNode,
  tokens: readonly { address: string; standard: number }[],
): Promise<TokenFacts[]> {
  const calls = tokens.flatMap(({ address: to }) => [NAME, SYMBOL, DECIMALS].map((data) => ({ to, data })));
  const answers = await node.readContracts(calls, "latest");
  return tokens.map(({ address, standard }, i) => {
    const [name, symbol, decimals] = answers.slice(i * 3, i * 3 + 3);
    return {
      address,
      standard,
      name: textOf(name, MAX_NAME),
      symbol: textOf(symbol, MAX_SYMBOL),
      decimals: decimalsOf(decimals),
    };
  });
}

/** Balances of one owner at one block, in the tokens' smallest units; undefined where a contract gives none. */
export async function askBalances(
  node: ChainNode,
  owner: string,
  tokens: string[],
  block: number,
): Promise<(bigint | undefined)[]> {
  const data = BALANCE_OF + padded(owner);
  const answers = await readTogether(
    node,
    tokens.map((to) => ({ to, data })),
    block,
  );
  return answers.map(numberOf);
}

/** How much a spender may take from an owner, in the token's smallest unit; undefined where the contract gives none. */
export async function askAllowance(
  node: ChainNode,
  token: string,
  owner: string,
  spender: string,
): Promise<bigint | undefined> {
  const data = ALLOWANCE + padded(owner) + padded(spender);
  const [answer] = await node.readContracts([{ to: token, data }], "latest");
  return numberOf(answer);
}

function padded(address: string): string {
  return address.slice(2).padStart(64, "0");
}

function numberOf(answer: string | undefined): bigint | undefined {
  return answer && /^0x[0-9a-fA-F]{64}/.test(answer) ? BigInt(answer.slice(0, 66)) : undefined;
}

/** A text as ABI string or, in old contracts, as bytes32. Cut to a length, without control characters. */
export function textOf(answer: string | undefined, max: number): string | null {
  const bytes = Buffer.from(answer?.slice(2) ?? "", "hex");
  if (bytes.length < 32) return null;
  const content = bytes.length === 32 ? bytes.subarray(0, endOf(bytes)) : stringBytes(bytes);
  if (!content) return null;
  // A text that is cut in the middle of a character loses that character only.
  const text = new TextDecoder().decode(content.subarray(0, max * 4));
  return [...text.replace(/[\p{Cc}\p{Cf}]/gu, "")].slice(0, max).join("");
}

function stringBytes(bytes: Buffer): Buffer | undefined {
  const offset = wordAt(bytes, 0);
  const length = offset === undefined ? undefined : wordAt(bytes, offset);
  if (offset === undefined || length === undefined) return undefined;
  return bytes.subarray(offset + 32, offset + 32 + length);
}

function wordAt(bytes: Buffer, offset: number): number | undefined {
  if (offset + 32 > bytes.length) return undefined;
  const word = BigInt(`0x${bytes.subarray(offset, offset + 32).toString("hex")}`);
  return word <= BigInt(bytes.length) ? Number(word) : undefined;
}

function endOf(bytes: Buffer): number {
  const zero = bytes.indexOf(0);
  return zero < 0 ? bytes.length : zero;
}

function decimalsOf(answer: string | undefined): number | null {
  if (!answer || !/^0x[0-9a-fA-F]{64}/.test(answer)) return null;
  const decimals = BigInt(answer.slice(0, 66));
  return decimals <= 255n ? Number(decimals) : null;
}
