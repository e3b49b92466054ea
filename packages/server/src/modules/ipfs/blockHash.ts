import type { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";

/** Whether blocks with the hash function of a CID can be verified. */
export function isSupportedHash({ multihash }: CID): boolean {
  return multihash.code === sha256.code;
}

/** Whether a block has the hash of its CID. */
export async function hasHash(content: Uint8Array, { multihash }: CID): Promise<boolean> {
  const { digest } = await sha256.digest(content);
  return Buffer.compare(digest, multihash.digest) === 0;
}
