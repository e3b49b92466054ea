import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingRows } from "../config/settingsTable.ts";
import { createMetrics, type Metrics } from "./metrics.ts";

const DEPLOY = resolve(import.meta.dirname, "../../../../deploy");
const read = (file: string) => readFileSync(join(DEPLOY, file), "utf8");

/** Metrics of Prometheus, of Node.js and of this server, as queries name them. */
const METRIC = /\b(?:purse|process|nodejs)_[a-z0-9_]+\b/g;

let metrics: Metrics;
beforeEach(() => {
  metrics = createMetrics();
  metrics.observe({
    sockets: () => 0,
    subscriptions: () => 0,
    changeLogDelayMs: () => 0,
    sending: () => ({ unsentBytes: 0, endedReceivers: 0, refusedAnswers: 0 }),
    storedBytes: { stored: 0, refused: { address: 0, class: 0 } },
    isDatabaseAvailable: () => true,
    isValkeyAvailable: () => true,
    replica: () => ({ lagMs: 0, maxLagMs: 10_000, isUsed: true, reads: { replica: 1, primary: 1 } }),
    leases: () => [{ name: "chain-watch", isHeld: true }],
    workers: () => [{ name: "chain indexer", state: "ready", restarts: 0 }],
    chains: () => [{ name: "eth", state: "following", head: 2, indexed: 1, lag: 1 }],
  });
  metrics.observeCloud(() => ({
    threads: 1,
    waiting: 0,
    restarts: 0,
    interruptions: new Map([["f", 1]]),
    refused: [],
  }));
});
afterEach(() => metrics.close());

/** The names of a metric's samples. */
async function sampleNames(): Promise<Set<string>> {
  const text = await metrics.text();
  return new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

describe("deployment files", () => {
  it.each(["grafana/purse.json", "prometheus/alerts.yml"])(
    "refer only to metrics that exist: %s",
    async (file) => {
      const names = await sampleNames();
      const expressions = read(file)
        .split("\n")
        // Texts for people and the identifiers of alerts name no metrics.
        .filter((line) => !/^\s*(#|summary:|description:)/.test(line))
        .join("\n");
      const used = new Set(expressions.match(METRIC) ?? []);
      expect(used.size).toBeGreaterThan(5);
      expect([...used].filter((name) => !names.has(name))).toEqual([]);
    },
  );

  it("include an alert rule for servers that are down, with the names of jobs in the documentation and of the Helm chart", () => {
    const [, pattern = ""] = /up\{job=~"([^"]+)"\}/.exec(read("prometheus/alerts.yml")) ?? [];
    const jobs = new RegExp(`^(?:${pattern})$`);
    expect(["purse", "purse-shop", "shop-purse"].filter((job) => !jobs.test(job))).toEqual([]);
    expect("prometheus").not.toMatch(jobs);
  });

  it("include alert rules that keep servers of different databases apart, which are different jobs", () => {
    const groupings = [...read("prometheus/alerts.yml").matchAll(/\b(?:sum|max|min) by \(([^)]*)\)/g)];
    expect(groupings.length).toBeGreaterThan(5);
    const labels = groupings.map(([, names = ""]) => names.split(", "));
    expect(labels.filter((names) => !names.includes("job"))).toEqual([]);
  });

  it("include a dashboard with every metric of the server", async () => {
    const dashboard = read("grafana/purse.json");
    const own = [...(await sampleNames())].filter((name) => /^purse_(?!.*_(sum|count)$)/.test(name));
    expect(own.filter((name) => !dashboard.includes(name))).toEqual([]);
  });

  it("include a dashboard with panels that have unique ids and do not overlap", () => {
    const { panels }: { panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[] } =
      JSON.parse(read("grafana/purse.json"));
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it("include a systemd unit with settings that exist and a timeout longer than the drain", () => {
    const unit = read("systemd/purse.service");
    const rows = settingRows();
    const known = new Set(rows.map(({ env }) => env));
    const used = unit.match(/\bPURSE_[A-Z_]+\b/g) ?? [];
    expect(used.filter((name) => !known.has(name))).toEqual([]);
    const secondsOf = (env: string) =>
      Number(/^\d+/.exec(rows.find((row) => row.env === env)?.defaultText ?? "")?.[0]);
    const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    const drainSeconds = secondsOf("PURSE_DRAIN_DELAY_SECONDS") + secondsOf("PURSE_DRAIN_TIMEOUT_SECONDS");
    expect(stopSeconds).toBeGreaterThan(drainSeconds + 10);
  });
});
