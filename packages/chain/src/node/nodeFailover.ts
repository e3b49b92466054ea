import type { NodeHealth } from "../model/chainStatus.ts";
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
  /** Whether the node's chain id was verified since its last failure. */
  isVerified: boolean;
  failures: number;
  /** After failures, other nodes are preferred until then (ms since the epoch). */
  cooldownUntil: number;
  latencyMs: number | undefined;
  error: string | undefined;
}

const MAX_COOLDOWN_MS = 30_000;

/** Chooses which of a chain's nodes gets a request: the one that responded last, and after failures another one. */
export class NodeFailover {
  readonly #endpoints: readonly Endpoint[];
  readonly #verifiesChain: boolean;
  /** The node that responded last. */
  #current = 0;

  constructor(nodes: readonly NodeAddress[], { verifiesChain }: { verifiesChain: boolean }) {
    this.#verifiesChain = verifiesChain;
    this.#endpoints = nodes.map((node) => ({
      ...node,
      isVerified: !verifiesChain,
      failures: 0,
      cooldownUntil: 0,
      latencyMs: undefined,
      error: undefined,
    }));
  }

  get health(): NodeHealth[] {
    return this.#endpoints.map(({ host, failures, latencyMs, error }) => ({
      host,
      state: failures > 0 ? "failing" : latencyMs === undefined ? "unused" : "well",
      ...(latencyMs !== undefined && { latencyMs }),
      ...(failures > 0 && error !== undefined && { error }),
    }));
  }

  /** All nodes: the one that responded last first, those that failed recently last. */
  byPreference(): Endpoint[] {
    const now = Date.now();
    const rotated = [...this.#endpoints.slice(this.#current), ...this.#endpoints.slice(0, this.#current)];
    return [
      ...rotated.filter(({ cooldownUntil }) => cooldownUntil <= now),
      ...rotated.filter(({ cooldownUntil }) => cooldownUntil > now),
    ];
  }

  /** Prefers the node from now on. */
  recordSuccess(endpoint: Endpoint, latencyMs: number): void {
    this.#current = this.#endpoints.indexOf(endpoint);
    endpoint.latencyMs = Math.round(latencyMs);
    endpoint.failures = 0;
  }

  /** Prefers other nodes for a time that doubles with each failure in a row. */
  recordFailure(endpoint: Endpoint, { message }: Error): void {
    endpoint.isVerified = !this.#verifiesChain;
    endpoint.error = message;
    endpoint.cooldownUntil = Date.now() + Math.min(MAX_COOLDOWN_MS, 1_000 * 2 ** endpoint.failures);
    endpoint.failures += 1;
  }

  /** Prefers other nodes to the current one for a while, because it returned invalid data. */
  penalize({ message }: Error): void {
    const endpoint = this.#endpoints[this.#current];
    if (!endpoint) return;
    endpoint.failures += 1;
    endpoint.error = message;
    endpoint.cooldownUntil = Date.now() + MAX_COOLDOWN_MS;
  }

  /** Has the chain id of all nodes verified again before their next request. */
  recheckChainId(): void {
    for (const endpoint of this.#endpoints) endpoint.isVerified = !this.#verifiesChain;
  }

  close(): void {
    for (const { transport, untrustedTransport } of this.#endpoints) {
      transport.close();
      untrustedTransport.close();
    }
  }
}
