import { decode } from "@ipld/dag-pb";
import type { FsBlockstore } from "blockstore-fs";
import type { CID } from "multiformats/cid";

const DAG_PB = 0x70;

/** Reads blocks; `get` rejects with BlockNotFound. */
export type BlockReader = Pick<FsBlockstore, "get">;

export async function readBlock(blocks: BlockReader, cid: CID): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of blocks.get(cid)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns the CIDs of the blocks to which a block links. */
export function linksOf(cid: CID, content: Uint8Array): CID[] {
  return cid.code === DAG_PB ? decode(content).Links.map(({ Hash }) => Hash) : [];
}

/** Yields all blocks below a root that have not been visited, and whether each is stored. */
export async function* reachableBlocks(
  blocks: Pick<FsBlockstore, "get" | "has">,
  root: CID,
  seen: Set<string>,
): AsyncGenerator<{ cid: CID; isStored: boolean }> {
  const waiting = [root];
  for (let cid = waiting.pop(); cid; cid = waiting.pop()) {
    const name = cid.toString();
    if (seen.has(name)) continue;
    seen.add(name);
    const isStored = await blocks.has(cid);
    yield { cid, isStored };
    if (isStored && cid.code === DAG_PB) waiting.push(...linksOf(cid, await readBlock(blocks, cid)));
  }
}
