import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { countersOf, EndedProcesses } from "./countedMetrics.ts";
import type { ProcessMetrics } from "./messages.ts";

/** The metrics of a process that has answered requests. */
async function metricsOf(requests: number): Promise<ProcessMetrics> {
  const registry = new Registry();
  const registers = [registry];
  const counter = new Counter({ name: "requests_total", help: "Requests.", labelNames: ["api"], registers });
  const duration = new Histogram({ name: "seconds", help: "Duration.", buckets: [1], registers });
  new Gauge({ name: "sockets", help: "Sockets.", registers }).set(5);
  counter.inc({ api: "parse" }, requests);
  for (let i = 0; i < requests; i++) duration.observe(0.5);
  return registry.getMetricsAsJSON();
}

describe("EndedProcesses", () => {
  it("keeps the sums of the counters of processes that have ended, and nothing else of them", async () => {
    const ended = new EndedProcesses();
    for (const requests of [3, 4, 5]) ended.add(countersOf(await metricsOf(requests)));
    await expect.poll(() => ended.counted.length).toBe(1);
    const text = await AggregatorRegistry.aggregate([...ended.counted, await metricsOf(1)]).metrics();
    expect(text).toContain('requests_total{api="parse"} 13\n');
    expect(text).toContain('seconds_bucket{le="1"} 13\n');
    expect(text).toContain("seconds_sum 6.5\n");
    expect(text).toContain("sockets 5\n");
  });

  it("keeps metrics of another version that cannot be added up", async () => {
    const ended = new EndedProcesses();
    const unknown = JSON.stringify(countersOf(await metricsOf(3))).replaceAll('"sum"', '"product"');
    ended.add(JSON.parse(unknown));
    ended.add(countersOf(await metricsOf(4)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended.counted).toHaveLength(2);
  });
});
