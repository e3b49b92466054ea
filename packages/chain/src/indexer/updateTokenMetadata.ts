import type { ChainNode } from "../node/chainNode.ts";
import { RpcError } from "../node/rpcErrors.ts";
import { askTokens } from "../node/tokens.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { IndexWriter } from "../store/indexWriter.ts";

const AT_ONCE = 100;

/** Asks some of the tokens that the index has met for their names. Answers whether there are more. */
export async function learnTokens(node: ChainNode, store: ChainStore, writer: IndexWriter): Promise<boolean> {
  const unknown = await store.unknownTokens(AT_ONCE);
  if (unknown.length === 0) return false;
  try {
    await writer.saveTokens(await askTokens(node, unknown));
  } catch (error) {
    // A node that cannot tell now is asked again after the next block.
    if (error instanceof RpcError) return false;
    throw error;
  }
  return unknown.length === AT_ONCE;
}
