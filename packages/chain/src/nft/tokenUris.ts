import type { NftKey } from "../model/tokens.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { readTogether } from "../node/multicall.ts";
import { MAX_URI } from "./content.ts";

/** Selectors of tokenURI(uint256) (EIP-721) and uri(uint256) (EIP-1155). */
const TOKEN_URI = "0xc87b56dd";
const URI = "0x0e89341c";
/** On the chain itself, in base64, metadata takes a third more room than it is long. */
const MAX_BYTES = 1_500_000;

/** Where the metadata of tokens is, as their contracts say at a block; undefined for those that do not. */
export async function askTokenUris(
  node: ChainNode,
  tokens: readonly (NftKey & { standard: number })[],
  block: number,
): Promise<(string | undefined)[]> {
  const calls = tokens.map(({ token, tokenId, standard }) => ({
    to: token,
    data: (standard === 721 ? TOKEN_URI : URI) + tokenId.slice(2),
  }));
  const answers = await readTogether(node, calls, block);
  return tokens.map(({ tokenId, standard }, i) => {
    const uri = uriOf(answers[i]);
    // EIP-1155: clients put the id in for {id}.
    return standard === 1155 && uri && uri.length <= MAX_URI ? uri.replaceAll("{id}", tokenId.slice(2)) : uri;
  });
}

/** An ABI string; blank ones and those that are too long are none. */
function uriOf(answer: string | undefined): string | undefined {
  if (!answer || answer.length > 2 * MAX_BYTES) return undefined;
  const bytes = Buffer.from(answer.slice(2), "hex");
  const offset = numberAt(bytes, 0);
  const length = offset === undefined ? undefined : numberAt(bytes, offset);
  if (offset === undefined || length === undefined || offset + 32 + length > bytes.length) return undefined;
  const text = new TextDecoder().decode(bytes.subarray(offset + 32, offset + 32 + length));
  return text.replaceAll("\0", "").trim() || undefined;
}

/** A word that is no more than the bytes there are. */
function numberAt(bytes: Buffer, offset: number): number | undefined {
  if (offset + 32 > bytes.length) return undefined;
  const word = BigInt(`0x${bytes.toString("hex", offset, offset + 32)}`);
  return word <= BigInt(bytes.length) ? Number(word) : undefined;
}
