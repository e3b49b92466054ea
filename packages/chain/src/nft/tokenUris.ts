import type { NftKey } from "../model/tokens.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { multicall } from "../node/multicall.ts";
import { sizeAt } from "../node/tokens.ts";
import { MAX_URI_LENGTH } from "./content.ts";

/** Selectors of tokenURI(uint256) (EIP-721) and uri(uint256) (EIP-1155). */
const TOKEN_URI = "0xc87b56dd";
const URI = "0x0e89341c";
/** Embedded metadata is base64-encoded, which adds a third to its size. */
const MAX_URI_BYTES = 1_500_000;
const UNTRUSTED = { timeoutMs: 10_000, maxBytes: 16 * 1024 * 1024 };

/** Reads the metadata URIs of tokens from their contracts at a block; undefined for those without one. */
export async function getTokenUris(
  node: ChainNode,
  tokens: readonly (NftKey & { standard: number })[],
  block: number,
): Promise<(string | undefined)[]> {
  const calls = tokens.map(({ token, tokenId, standard }) => ({
    to: token,
    data: (standard === 721 ? TOKEN_URI : URI) + tokenId.slice(2),
  }));
  const answers = await multicall(node, calls, block, { untrusted: UNTRUSTED });
  return tokens.map(({ tokenId, standard }, i) => {
    const uri = decodeUri(answers[i]);
    // EIP-1155: clients replace {id} with the token id.
    return standard === 1155 && uri && uri.length <= MAX_URI_LENGTH
      ? uri.replaceAll("{id}", tokenId.slice(2))
      : uri;
  });
}

/** Decodes an ABI string; undefined for blank and too long ones. */
function decodeUri(answer: string | undefined): string | undefined {
  if (!answer || answer.length > 2 * MAX_URI_BYTES) return undefined;
  const bytes = Buffer.from(answer.slice(2), "hex");
  const offset = sizeAt(bytes, 0);
  const length = offset === undefined ? undefined : sizeAt(bytes, offset);
  if (offset === undefined || length === undefined || offset + 32 + length > bytes.length) return undefined;
  const text = new TextDecoder().decode(bytes.subarray(offset + 32, offset + 32 + length));
  return text.replaceAll("\0", "").trim() || undefined;
}
