import type { ChainService } from "@purse/chain";
import type { ApiReply } from "./api.ts";

/** Once the indexer of chains has ended for good, another process would do better. */
const NOT_INDEXING: ApiReply = {
  status: 503,
  body: '{"status":"unavailable","error":"Chains are not indexed any more"}',
};

/** Answers for `/ready` what `ready` answers, and 503 once chains are not indexed any more. */
export function withIndexer(
  ready: () => Promise<ApiReply>,
  indexer: ChainService["indexer"],
): () => Promise<ApiReply> {
  return async () => (indexer()?.state === "failed" ? NOT_INDEXING : ready());
}

/** What `/health` shows of the indexer to everybody; undefined where no chain is indexed. */
export function indexerHealth(
  indexer: ChainService["indexer"],
): { state: string; restarts: number } | undefined {
  const health = indexer();
  return health && { state: health.state, restarts: health.restarts };
}
