import { isJsonObject, type JsonValue } from "@purse/protocol";
import type { Endpoint, NodeFailover } from "./nodeFailover.ts";
import { parseQuantity, toHexQuantity } from "./quantities.ts";
import { InvalidNodeDataError, RpcError } from "./rpcErrors.ts";

const INTERVAL_MS = 10_000;
/** Nodes that take longer are not compared. */
const TIMEOUT_MS = 5_000;
/** A node that reports a head has the block this far below it. Servers behind one URL differ by a few blocks. */
const PLAUSIBLE_DEPTH = 8;

/** Calls a method of one node. Rejects like ChainNode. */
export type CallNode = (
  endpoint: Endpoint,
  method: string,
  params: JsonValue[],
  signal: AbortSignal,
) => Promise<JsonValue>;

/**
 * Compares the latest blocks of all nodes now and then, so that a node that stands still does not stay in use although it
 * responds.
 */
export class HeadComparison {
  readonly #nodes: NodeFailover;
  readonly #call: CallNode;
  /** Verifies the chain of a node. Rejects like ChainNode. */
  readonly #verify: (endpoint: Endpoint) => Promise<void>;
  readonly #intervalMs: number;
  #comparedAt = Number.NEGATIVE_INFINITY;
  #isComparing = false;

  constructor(
    nodes: NodeFailover,
    call: CallNode,
    verify: (endpoint: Endpoint) => Promise<void>,
    intervalMs = INTERVAL_MS,
  ) {
    this.#intervalMs = intervalMs;
    this.#nodes = nodes;
    this.#call = call;
    this.#verify = verify;
  }

  /** Compares in the background, if that is due. */
  start(signal: AbortSignal): void {
    const { endpoints } = this.#nodes;
    if (endpoints.length < 2 || this.#isComparing) return;
    if (performance.now() - this.#comparedAt < this.#intervalMs) return;
    this.#isComparing = true;
    this.#comparedAt = performance.now();
    void this.#compare(signal).finally(() => {
      this.#isComparing = false;
    });
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const heads = new Map<Endpoint, { head: number; latencyMs: number }>();
    const now = Date.now();
    const compared = this.#nodes.endpoints.filter(({ cooldownUntil }) => cooldownUntil <= now);
    await Promise.all(
      compared.map(async (endpoint) => {
        const startedAt = performance.now();
        const timeout = AbortSignal.timeout(TIMEOUT_MS);
        try {
          await this.#verify(endpoint);
          const head = await this.#headOf(endpoint, AbortSignal.any([signal, timeout]));
          heads.set(endpoint, { head, latencyMs: performance.now() - startedAt });
        } catch (error) {
          // Whether a slow node or one that limits the rate has failed is found by the requests.
          const isUnknown = signal.aborted || timeout.aborted || error instanceof RpcError;
          if (!isUnknown && error instanceof Error) this.#nodes.recordFailure(endpoint, error);
        }
      }),
    );
    if (!signal.aborted) this.#nodes.recordHeads(heads);
  }

  async #headOf(endpoint: Endpoint, signal: AbortSignal): Promise<number> {
    const head = parseQuantity(await this.#call(endpoint, "eth_blockNumber", [], signal));
    const below = Math.max(0, head - PLAUSIBLE_DEPTH);
    const block = await this.#call(endpoint, "eth_getBlockByNumber", [toHexQuantity(below), false], signal);
    if (isJsonObject(block) && parseQuantity(block.number) === below) return head;
    throw new InvalidNodeDataError(`the node reports block ${head}, but does not have block ${below}`);
  }
}
