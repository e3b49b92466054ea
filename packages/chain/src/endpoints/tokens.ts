import type { ChainNode } from "../node/chainNode.ts";
import { readTogether } from "../node/multicall.ts";
import type { ChainStore, TokenRow } from "../store/chainStore.ts";

/** Selectors of EIP-20's optional functions, and of balanceOf. */
const NAME = "0x06fdde03";
const SYMBOL = "0x95d89b41";
const DECIMALS = "0x313ce567";
const BALANCE_OF = "0x70a08231";

const MAX_NAME = 128;
const MAX_SYMBOL = 32;

/** What tokens say of themselves: asked of each contract once, then kept. */
export async function readTokens(
  chain: { node: ChainNode; store: ChainStore },
  addresses: string[],
): Promise<Map<string, TokenRow>> {
  const { node, store } = chain;
  const known = await store.tokens(node.chainId, addresses);
  const unknown = addresses.filter((address) => !known.has(address));
  if (unknown.length === 0) return known;
  const calls = unknown.flatMap((to) => [NAME, SYMBOL, DECIMALS].map((data) => ({ to, data })));
  const answers = await node.readContracts(calls, "latest");
  const read = unknown.map((address, i): TokenRow => {
    const [name, symbol, decimals] = answers.slice(i * 3, i * 3 + 3);
    return {
      address,
      name: textOf(name, MAX_NAME),
      symbol: textOf(symbol, MAX_SYMBOL),
      decimals: decimalsOf(decimals),
    };
  });
  await store.saveTokens(node.chainId, read);
  for (const token of read) known.set(token.address, token);
  return known;
}

/** Balances of one owner at one block, in the tokens' smallest units; undefined where a contract gives none. */
export async function readBalances(
  node: ChainNode,
  owner: string,
  tokens: string[],
  block: number,
): Promise<(bigint | undefined)[]> {
  const data = BALANCE_OF + owner.slice(2).padStart(64, "0");
  const answers = await readTogether(
    node,
    tokens.map((to) => ({ to, data })),
    block,
  );
  return answers.map((answer) =>
    answer && /^0x[0-9a-fA-F]{64}/.test(answer) ? BigInt(answer.slice(0, 66)) : undefined,
  );
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
