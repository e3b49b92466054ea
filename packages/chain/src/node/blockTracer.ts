import type { JsonObject, JsonValue } from "@purse/protocol";
import PQueue from "p-queue";
import type { Logger } from "../model/logger.ts";
import type { BlockIdentity } from "../model/rows.ts";
import type { ChainNode, RequestOptions } from "./chainNode.ts";
import { type InternalTransfer, listed, nested } from "./internalTransfers.ts";
import type { Endpoint } from "./nodeFailover.ts";
import { requestIfSupported } from "./optionalMethods.ts";
import { parseHash } from "./quantities.ts";
import {
  InvalidNodeDataError,
  isNodeError,
  isRateLimit,
  RpcError,
  RpcUnreachableError,
} from "./rpcErrors.ts";
import { type BlockTraces, CALL_TRACER, listOf, readBlockTraces } from "./traces.ts";

/** Traces that are read at the same time. */
const PARALLEL_TRACES = 4;
/** Traces of blocks are slow and large. That one fails does not mean that the node does. */
const TRACING: RequestOptions = {
  untrusted: { timeoutMs: 60_000, maxBytes: 64 * 1024 * 1024 },
  asksAll: true,
};
/** Attempts for a block with transactions whose traces do not arrive, before these are left out. */
const MAX_ATTEMPTS = 3;

type TracingNode = Pick<ChainNode, "request" | "getHeaderByHash" | "penalize">;

/**
 * Traces the blocks of an index. If the node cannot trace a block as a whole, its transactions are traced one by one;
 * those that cannot be traced are left out, counted and logged, so that they do not stop the index.
 */
export class BlockTracer {
  readonly #node: TracingNode;
  readonly #chainName: string;
  readonly #log: Logger;
  /** Failed attempts by the hash of the block. */
  readonly #attempts = new Map<string, number>();
  readonly #queue = new PQueue({ concurrency: PARALLEL_TRACES });
  #untraced = 0;
  readonly #isStopping: () => boolean;

  constructor(node: TracingNode, chainName: string, log: Logger, isStopping: () => boolean = () => false) {
    this.#node = node;
    this.#chainName = chainName;
    this.#log = log;
    this.#isStopping = isStopping;
  }

  /** Transactions that were left out since the start. */
  get untraced(): number {
    return this.#untraced;
  }

  /**
   * The transfers and creations of contracts in a block, in execution order within a transaction; undefined if the
   * node does not trace. `hashes` are the transactions that call contracts. Rejects with RpcError,
   * InvalidNodeDataError or RpcUnreachableError.
   */
  trace(block: BlockIdentity, hashes: readonly string[]): Promise<InternalTransfer[] | undefined> {
    return this.#queue.add(() => this.#traceBlock(block, hashes));
  }

  async #traceBlock(
    block: BlockIdentity,
    hashes: readonly string[],
  ): Promise<InternalTransfer[] | undefined> {
    const served = new Set<Endpoint>();
    try {
      return await this.#traceWith({ ...TRACING, served }, block, hashes);
    } catch (error) {
      if (error instanceof InvalidNodeDataError) this.#node.penalize(error, served);
      throw error;
    }
  }

  async #traceWith(
    options: RequestOptions,
    block: BlockIdentity,
    hashes: readonly string[],
  ): Promise<InternalTransfer[] | undefined> {
    let found: BlockTraces | undefined;
    try {
      found = await readBlockTraces(this.#node, block, options);
    } catch (error) {
      if (!(error instanceof RpcUnreachableError) && !isTooHeavy(error)) throw error;
      return this.#traceSingly(options, block, hashes);
    }
    if (!found) return undefined;
    return "trees" in found
      ? this.#traceFailed(options, block, hashes, found.trees)
      : listed(found.traces, block.hash);
  }

  /** The transfers of the call trees of a block; transactions without a valid tree are traced once more. */
  async #traceFailed(
    options: RequestOptions,
    block: BlockIdentity,
    hashes: readonly string[],
    trees: readonly JsonObject[],
  ): Promise<InternalTransfer[]> {
    const found: InternalTransfer[] = [];
    const traced = new Set<string>();
    for (const { txHash, result } of trees) {
      try {
        found.push(...nested(txHash, result));
        traced.add(parseHash(txHash));
      } catch (error) {
        if (!(error instanceof InvalidNodeDataError)) throw error;
      }
    }
    const failed = hashes.filter((hash) => !traced.has(hash));
    return failed.length === 0 ? found : [...found, ...(await this.#traceSingly(options, block, failed))];
  }

  async #traceSingly(
    options: RequestOptions,
    block: BlockIdentity,
    hashes: readonly string[],
  ): Promise<InternalTransfer[]> {
    const found: InternalTransfer[] = [];
    const failures: { hash: string; error: Error }[] = [];
    for (const hash of hashes) {
      if (this.#isStopping()) throw new RpcUnreachableError("the index is being stopped");
      try {
        found.push(...(await this.#traceTransaction(options, block, hash)));
      } catch (error) {
        if (!isNodeError(error) || isRateLimit(error)) throw error;
        failures.push({ hash, error });
        // The node, not the transaction, is the reason if it does not respond at all or lacks the block.
        if (!(await this.#node.getHeaderByHash(block.hash)))
          throw new RpcUnreachableError(`the node no longer has block ${block.number}`);
      }
    }
    this.#leaveOut(block, failures);
    return found;
  }

  /** Throws while the traces may arrive at another attempt. */
  #leaveOut({ number, hash }: BlockIdentity, failures: readonly { hash: string; error: Error }[]): void {
    // Another node may have valid traces.
    const delayed = failures.find(
      ({ error }) => error instanceof RpcUnreachableError || error instanceof InvalidNodeDataError,
    );
    const attempts = (this.#attempts.get(hash) ?? 0) + 1;
    if (delayed && attempts < MAX_ATTEMPTS) {
      this.#attempts.set(hash, attempts);
      throw delayed.error;
    }
    this.#attempts.delete(hash);
    const [first] = failures;
    if (first && this.#untraced === 0) {
      this.#log.warn(
        "the node cannot trace a transaction; the index lacks the coins that contracts sent in it",
        {
          chain: this.#chainName,
          block: number,
          transaction: first.hash,
          error: first.error.message,
        },
      );
    }
    this.#untraced += failures.length;
  }

  async #traceTransaction(
    options: RequestOptions,
    block: BlockIdentity,
    hash: string,
  ): Promise<InternalTransfer[]> {
    const request = (method: string, params: JsonValue[]) =>
      requestIfSupported(this.#node, method, params, options);
    const tree = await request("debug_traceTransaction", [hash, CALL_TRACER]);
    if (tree !== undefined) return nested(hash, tree);
    const traces = await request("trace_transaction", [hash]);
    if (traces === undefined) throw new InvalidNodeDataError("the node does not trace single transactions");
    return listed(listOf(traces), block.hash);
  }
}

/** Whether the node reports that the traces of a block took too long or are too large. */
function isTooHeavy(error: unknown): boolean {
  if (!(error instanceof RpcError) || isRateLimit(error)) return false;
  return /time.?out|timed out|deadline|too (large|big|long)|size/i.test(error.message);
}
