import type { NodeHealth } from "../model/chainStatus.ts";
import { InvalidNodeDataError } from "./rpcErrors.ts";
import type { Transport } from "./transport.ts";

/** How a node is reached. */
export interface NodeAddress {
  host: string;
  transport: Transport;
  /** Has a socket of its own, which oversized responses close. */
  untrustedTransport: Transport;
}

/** A node with what is known of it. */
export interface Endpoint extends NodeAddress {
  /** Whether its chain was verified since its last failure. */
  isVerified: boolean;
  /** The final block that it was last verified to have. */
  verifiedBlock: number | undefined;
  failures: number;
  /** After failures, other nodes are preferred until then (ms since the epoch). */
  cooldownUntil: number;
  latencyMs: number | undefined;
  error: string | undefined;
  /** Whether its last failure was data of another chain, or data that contradicts itself. */
  isRefused: boolean;
  /** Its latest block when the nodes were last compared. */
  head: number | undefined;
  /** Whether it lacked a block that another node had had at the comparison before. */
  isBehind: boolean;
  /** Methods that it lacks or did not answer in time. */
  readonly avoided: Map<string, { until: number; failures: number }>;
}

const MAX_COOLDOWN_MS = 30_000;
/** A node that is not asked for a method is asked again after ten minutes at the latest. */
const MAX_AVOIDED_MS = 600_000;

/**
 * Chooses which of a chain's nodes gets a request: the one that responded last, and another one after failures or while
 * it is behind the others.
 */
export class NodeFailover {
  readonly #endpoints: readonly Endpoint[];
  readonly #verifiesChain: boolean;
  /** The node that responded last. */
  #current = 0;
  /** The highest head of the last comparison. */
  #highest: number | undefined;

  constructor(nodes: readonly NodeAddress[], { verifiesChain }: { verifiesChain: boolean }) {
    this.#verifiesChain = verifiesChain;
    this.#endpoints = nodes.map((node) => ({
      ...node,
      isVerified: !verifiesChain,
      verifiedBlock: undefined,
      failures: 0,
      cooldownUntil: 0,
      latencyMs: undefined,
      error: undefined,
      isRefused: false,
      head: undefined,
      isBehind: false,
      avoided: new Map(),
    }));
  }

  get endpoints(): readonly Endpoint[] {
    return this.#endpoints;
  }

  get health(): NodeHealth[] {
    return this.#endpoints.map((endpoint) => {
      const { host, failures, latencyMs, error, head } = endpoint;
      return {
        host,
        state: stateOf(endpoint),
        ...(latencyMs !== undefined && { latencyMs }),
        ...(head !== undefined && { head }),
        ...(failures > 0 && error !== undefined && { error }),
      };
    });
  }

  /** All nodes: the one that responded last first, those that failed recently last. */
  byPreference(method: string): Endpoint[] {
    const now = Date.now();
    const rank = ({ cooldownUntil, isBehind, avoided }: Endpoint) => {
      if (cooldownUntil > now) return 2;
      return isBehind || (avoided.get(method)?.until ?? 0) > now ? 1 : 0;
    };
    const rotated = [...this.#endpoints.slice(this.#current), ...this.#endpoints.slice(0, this.#current)];
    return rotated
      .map((endpoint) => ({ endpoint, rank: rank(endpoint) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ endpoint }) => endpoint);
  }

  /** Prefers the node from now on. */
  recordSuccess(endpoint: Endpoint, latencyMs: number): void {
    this.#current = this.#endpoints.indexOf(endpoint);
    endpoint.latencyMs = Math.round(latencyMs);
    if (endpoint.isRefused && endpoint.cooldownUntil > Date.now()) return;
    recover(endpoint);
  }

  /** Prefers other nodes for a time that doubles with each failure in a row. */
  recordFailure(endpoint: Endpoint, error: Error): void {
    endpoint.isVerified = !this.#verifiesChain;
    endpoint.verifiedBlock = undefined;
    endpoint.error = error.message;
    endpoint.isRefused = error instanceof InvalidNodeDataError;
    endpoint.cooldownUntil = Date.now() + Math.min(MAX_COOLDOWN_MS, 1_000 * 2 ** endpoint.failures);
    endpoint.failures += 1;
  }

  /** Prefers other nodes for requests of a method, for a time that doubles with each failure in a row. */
  avoid({ avoided }: Endpoint, method: string): void {
    const failures = avoided.get(method)?.failures ?? 0;
    const until = Date.now() + Math.min(MAX_AVOIDED_MS, MAX_COOLDOWN_MS * 2 ** failures);
    avoided.set(method, { until, failures: failures + 1 });
  }

  /** Prefers others to the nodes that returned invalid data, for a while; to the current one if it is not known which did. */
  penalize({ message }: Error, served: ReadonlySet<Endpoint>): void {
    const current = this.#endpoints[this.#current];
    for (const endpoint of served.size > 0 ? served : current ? [current] : []) {
      endpoint.failures += 1;
      endpoint.error = message;
      endpoint.isRefused = true;
      endpoint.cooldownUntil = Date.now() + MAX_COOLDOWN_MS;
    }
  }

  /**
   * Records the latest blocks of the nodes that responded, with the times that it took. A node is behind if it lacks what
   * another one had had at the comparison before: nodes differ by the blocks of a moment.
   */
  recordHeads(found: ReadonlyMap<Endpoint, { head: number; latencyMs: number }>): void {
    for (const [endpoint, { head, latencyMs }] of found) {
      endpoint.head = head;
      endpoint.latencyMs ??= Math.round(latencyMs);
      endpoint.isBehind = this.#highest !== undefined && head < this.#highest;
      if (endpoint.cooldownUntil <= Date.now()) recover(endpoint);
    }
    if (found.size > 0) this.#highest = Math.max(...[...found.values()].map(({ head }) => head));
  }

  /** Has the chain of all nodes verified again before their next request. */
  recheckChain(): void {
    for (const endpoint of this.#endpoints) {
      endpoint.isVerified = !this.#verifiesChain;
      endpoint.verifiedBlock = undefined;
    }
  }

  close(): void {
    for (const { transport, untrustedTransport } of this.#endpoints) {
      transport.close();
      untrustedTransport.close();
    }
  }
}

function recover(endpoint: Endpoint): void {
  endpoint.failures = 0;
  endpoint.isRefused = false;
}

function stateOf({ failures, isRefused, isBehind, latencyMs }: Endpoint): NodeHealth["state"] {
  if (failures > 0) return isRefused ? "refused" : "failing";
  if (isBehind) return "behind";
  return latencyMs === undefined ? "unused" : "well";
}
