import type { ChainNode } from "../node/chainNode.ts";
import { RpcError } from "../node/rpcErrors.ts";
import { readTokenMetadata } from "../node/tokens.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { IndexWriter } from "../store/indexWriter.ts";

const BATCH_SIZE = 100;

/** Reads the metadata of some discovered tokens. Returns whether there are more. */
export async function updateTokenMetadata(
  node: ChainNode,
  store: ChainStore,
  writer: IndexWriter,
): Promise<boolean> {
  const tokens = await store.tokens.withoutMetadata(BATCH_SIZE);
  if (tokens.length === 0) return false;
  try {
    await writer.saveTokenMetadata(await readTokenMetadata(node, tokens));
  } catch (error) {
    // If the node fails, they are read after the next block.
    if (error instanceof RpcError) return false;
    throw error;
  }
  return tokens.length === BATCH_SIZE;
}
