import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ContractLabels } from "../labels/contractLabels.ts";
import type { ContractSources } from "../labels/contractSources.ts";
import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import { invalid } from "../model/requestErrors.ts";
import type { TokenMetadataReading } from "../model/tokens.ts";
import type { MetadataRefresh } from "../nft/metadataRefresh.ts";
import type { ChainNode } from "../node/chainNode.ts";
import { InvalidNodeDataError, RpcError, RpcUnreachableError } from "../node/rpcErrors.ts";
import type { ChainStore } from "../store/chainStore.ts";
import { INDEX_DATABASE_UNAVAILABLE } from "../store/indexErrors.ts";

/** A chain as the endpoints use it. */
export interface ChainContext {
  config: ChainConfig;
  node: ChainNode;
  store: ChainStore;
  labels: ContractLabels;
  sources: ContractSources;
  status(): ChainStatus;
  /** Waits for the first sync for a short time after the start. */
  waitForFirstSync(): Promise<void>;
  /** Stores metadata of tokens in the index. */
  saveTokenMetadata(reading: TokenMetadataReading): void;
  /** Refreshes metadata in the background. */
  refreshMetadata(refresh: MetadataRefresh): void;
  /** Adds wallets to an index of known wallets, and waits a limited time for their history. */
  watch(addresses: string[]): Promise<{ isDone: boolean; percent: number }>;
}

/** Finds the chain that a client selects. Throws ProtocolError 142. */
export type SelectChain = (selector: unknown) => ChainContext;

/**
 * An empty result must not mean "unknown": before the index has reached the head, absence cannot be reported. Throws
 * ProtocolError with HTTP 503.
 */
export function requireSynced(chain: ChainContext): void {
  const { state, indexed, head, lag, percent, error, isDatabaseUnavailable } = chain.status();
  if (state === "stopped") throw chainUnavailable(chain, `it is no longer indexed (${error})`);
  if (isDatabaseUnavailable && lag !== 0) throw chainUnavailable(chain, INDEX_DATABASE_UNAVAILABLE);
  if (head === null && state !== "refused")
    throw chainUnavailable(chain, `none of its nodes responds (${error ?? "no response yet"})`);
  if (state === "unreachable" && lag !== 0)
    throw chainUnavailable(chain, `none of its nodes responds, and the index is incomplete (${error})`);
  if (state === "refused") throw chainUnavailable(chain, `its node is rejected (${error})`);
  if (state === "syncing") {
    throw chainUnavailable(
      chain,
      `indexing is in progress (block ${indexed ?? 0} of ${head}, ${percent} %): try again later`,
    );
  }
}

/** Ensures that the index covers the addresses; in an index of known wallets, this starts indexing them. */
export async function ensureWalletIndexed(chain: ChainContext, addresses: string[]): Promise<void> {
  await chain.waitForFirstSync();
  if (chain.config.scope !== "wallets") return;
  const { isDone, percent } = await chain.watch(addresses);
  if (!isDone) {
    throw chainUnavailable(
      chain,
      `the history of ${addresses.join(", ")} is being indexed (${percent} %): try again later`,
    );
  }
}

/** Finds the chain of a query that needs a full index. */
export async function selectFullIndex(
  selectChain: SelectChain,
  selector: unknown,
  subject: string,
): Promise<ChainContext> {
  const chain = selectChain(selector);
  await requireFullIndex(chain, subject);
  return chain;
}

/** For queries that need a full index. */
export async function requireFullIndex(chain: ChainContext, subject: string): Promise<void> {
  await chain.waitForFirstSync();
  if (chain.config.scope !== "wallets") return;
  const name = chain.config.name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  throw chainUnavailable(
    chain,
    `${subject} require a full index, but this server indexes known wallets only (PURSE_CHAIN_${name}_SCOPE)`,
  );
}

/**
 * Converts errors of nodes to ProtocolError. A JSON-RPC error is the client's fault only if the client chose the
 * block.
 */
export async function withNodeErrors<T>(
  chain: ChainContext,
  block: number | undefined,
  request: () => Promise<T>,
): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof RpcUnreachableError)
      throw chainUnavailable(chain, `none of its nodes responds (${error.message})`);
    if (error instanceof InvalidNodeDataError)
      throw chainUnavailable(chain, `its node is rejected (${error.message})`);
    if (error instanceof RpcError) {
      const latest =
        block === undefined ? undefined : await chain.node.getBlockNumber().catch(() => undefined);
      if (block !== undefined && latest !== undefined && block > latest)
        throw invalid(`block ${block} does not exist yet: the latest block of the chain is ${latest}`);
      const message = `the node of chain "${chain.config.name}" failed: ${error.message.slice(0, 200)}`;
      if (block === undefined) throw new ProtocolError(ErrorCode.CONNECTION_FAILED, message, 503);
      throw invalid(message);
    }
    throw error;
  }
}

export function chainUnavailable(
  { config }: { config: Pick<ChainConfig, "name"> },
  reason: string,
): ProtocolError {
  return new ProtocolError(
    ErrorCode.CONNECTION_FAILED,
    `chain "${config.name}" is not available: ${reason}`,
    503,
  );
}
