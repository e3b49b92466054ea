import type { IndexLocation } from "../store/indexLocation.ts";
import { openIndex } from "../store/openIndex.ts";
import { createIndexerNode } from "./indexerNode.ts";
import { type RunningIndexer, type StartIndexingOptions, startIndexing } from "./startIndexing.ts";
import { SwitchingIndexer } from "./switchingIndexer.ts";

export interface StartChainOptions extends Omit<StartIndexingOptions, "node" | "index" | "beside"> {
  location: IndexLocation;
  /** Whether this process may become the one that indexes the chain. */
  canIndex: boolean;
}

/** Opens the index of a chain and starts its indexer. */
export async function startChain({
  location,
  canIndex,
  ...options
}: StartChainOptions): Promise<RunningIndexer> {
  const { config, log } = options;
  if (location.kind === "postgres") return SwitchingIndexer.start({ ...options, location, canIndex });
  const node = createIndexerNode(config, options.pollMs);
  return startIndexing({ ...options, node, index: await openIndex(location, log, canIndex) });
}
