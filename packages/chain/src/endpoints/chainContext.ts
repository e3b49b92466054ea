import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import type { TokenFacts } from "../model/tokens.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { LyingNode, RpcError, RpcUnreachable } from "../node/rpcErrors.ts";
import type { ChainStore } from "../store/chainStore.ts";

/** One chain as endpoints see it. */
export interface FollowedChain {
  config: ChainConfig;
  node: ChainNode;
  store: ChainStore;
  status(): ChainStatus;
  /** Lets a question that comes just after the start wait for the first blocks, for a moment. */
  firstLook(): Promise<void>;
  /** Keeps what tokens say of themselves. */
  learn(tokens: TokenFacts[]): void;
  /** Has what tokens are read again, in the background. */
  reread(reread: MetadataRefresh): void;
  /** Has addresses followed where only known ones are, and waits a while until their history is read. */
  watch(addresses: string[]): Promise<{ done: boolean; percent: number }>;
}

/** Finds the chain that a client's selector means. Throws ProtocolError 142. */
export type ChainOf = (selector: unknown) => FollowedChain;

/**
 * "Don't know" is not an empty list: before the index has reached the head, or where it does not hold what is asked
 * for, there is no answer from it. Throws ProtocolError with HTTP 503.
 */
export function assertIndexed(chain: FollowedChain): void {
  const { state, indexed, head, lag, percent, error } = chain.status();
  if (state === "stopped") throw unavailable(chain, `it is not indexed any more (${error})`);
  if (head === null && state !== "refused")
    throw unavailable(chain, `no node of it answers (${error ?? "none has so far"})`);
  if (state === "unreachable" && lag !== 0)
    throw unavailable(chain, `no node of it answers, and it is not yet indexed to the end (${error})`);
  if (state === "refused") throw unavailable(chain, `its node is refused (${error})`);
  if (state === "syncing") {
    throw unavailable(
      chain,
      `it is still being indexed (block ${indexed ?? 0} of ${head}, ${percent} %): ask again later`,
    );
  }
}

/** Makes sure that the index holds what addresses did, also where it holds that of known ones only. */
export async function assertKnown(chain: FollowedChain, addresses: string[]): Promise<void> {
  await chain.firstLook();
  if (chain.config.scope !== "wallets") return;
  const { done, percent } = await chain.watch(addresses);
  if (!done) {
    throw unavailable(
      chain,
      `the history of ${addresses.join(", ")} is being read (${percent} %): ask again later`,
    );
  }
}

/** For questions that only the index of a whole chain answers. */
export async function assertWhole(chain: FollowedChain, what: string): Promise<void> {
  await chain.firstLook();
  if (chain.config.scope !== "wallets") return;
  const name = chain.config.name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  throw unavailable(
    chain,
    `${what} need an index of the whole chain, and this server follows known wallets only (PURSE_CHAIN_${name}_SCOPE)`,
  );
}

/** What a node cannot answer is said in words: as the caller's fault only where the caller chose the block. */
export async function asked<T>(
  chain: FollowedChain,
  block: number | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RpcUnreachable) throw unavailable(chain, `no node of it answers (${error.message})`);
    if (error instanceof LyingNode) throw unavailable(chain, `its node is refused (${error.message})`);
    if (error instanceof RpcError) {
      const message = `the node of chain "${chain.config.name}" cannot answer this: ${error.message.slice(0, 200)}`;
      if (block === undefined) throw new ProtocolError(ErrorCode.CONNECTION_FAILED, message, 503);
      throw new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
    }
    throw error;
  }
}

export function unavailable(chain: FollowedChain, why: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.CONNECTION_FAILED,
    `chain "${chain.config.name}" cannot be asked: ${why}`,
    503,
  );
}

export function notFound(what: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, what, 404);
}
