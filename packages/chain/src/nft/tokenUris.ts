import type { ChainNode } from "./chainNode.ts";
import { readTogether } from "./multicall.ts";
import { textOf } from "./tokens.ts";

export interface TokenKey {
  token: string;
  /** 32 bytes. */
  tokenId: string;
  /** 721 or 1155. */
  standard: number;
}

/** Selectors of tokenURI(uint256) (EIP-721) and uri(uint256) (EIP-1155). */
const TOKEN_URI = "0xc87b56dd";
const URI = "0x0e89341c";
const MAX_URI = 16_384;
/** Answers that are kept, and how long: most collections never change them. */
const KEPT = 50_000;
const KEPT_MS = 10 * 60_000;

const kept = new WeakMap<ChainNode, Map<string, { uri: string | undefined; until: number }>>();

/** Where the metadata of tokens is, as their contracts say; undefined for those that do not. */
export async function askTokenUris(
  node: ChainNode,
  tokens: readonly TokenKey[],
): Promise<(string | undefined)[]> {
  const known = kept.get(node) ?? new Map();
  kept.set(node, known);
  const now = Date.now();
  const asking = tokens.filter((key) => (known.get(nameOf(key))?.until ?? 0) < now);
  if (asking.length > 0) {
    const calls = asking.map(({ token, tokenId, standard }) => ({
      to: token,
      data: (standard === 721 ? TOKEN_URI : URI) + tokenId.slice(2),
    }));
    const answers = await readTogether(node, calls, await node.headNumber());
    if (known.size > KEPT) known.clear();
    for (const [i, key] of asking.entries()) {
      const uri = textOf(answers[i], MAX_URI) || undefined;
      // EIP-1155: clients put the id in for {id}.
      const full = key.standard === 1155 ? uri?.replaceAll("{id}", key.tokenId.slice(2)) : uri;
      known.set(nameOf(key), { uri: full, until: now + KEPT_MS });
    }
  }
  return tokens.map((key) => known.get(nameOf(key))?.uri);
}

function nameOf({ token, tokenId }: TokenKey): string {
  return token + tokenId;
}
