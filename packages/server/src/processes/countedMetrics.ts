import { AggregatorRegistry } from "prom-client";
import type { ProcessMetrics } from "./messages.ts";

const COUNTER_TYPES: ReadonlySet<string> = new Set(["counter", "histogram", "summary"]);

/** The metrics that only grow as long as their process runs. */
export function countersOf(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => COUNTER_TYPES.has(String(type)));
}

/**
 * What processes that have ended have counted. It stays in the sums over all processes: a sum that falls looks like a
 * restart, after which Prometheus would count all that is left of it as new.
 */
export class EndedProcesses {
  #counted: ProcessMetrics[] = [];
  #isMerging = false;

  get counted(): readonly ProcessMetrics[] {
    return [...this.#counted];
  }

  add(counted: ProcessMetrics): void {
    this.#counted.push(counted);
    // What cannot be added up, as it is of another version of the program, stays as it is.
    this.#merge().catch(() => undefined);
  }

  /** Replaces those of several processes by their sums. */
  async #merge(): Promise<void> {
    if (this.#isMerging) return;
    this.#isMerging = true;
    try {
      while (this.#counted.length > 1) {
        const merged = [...this.#counted];
        const sums = await AggregatorRegistry.aggregate(merged).getMetricsAsJSON();
        this.#counted = [sums, ...this.#counted.slice(merged.length)];
      }
    } finally {
      this.#isMerging = false;
    }
  }
}
