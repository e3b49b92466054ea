import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Latencies } from "./latencies.ts";

/** The measurements of one interval. Times in ms. */
export interface Sample {
  /** Seconds since the load began. */
  at: number;
  requestsPerSecond: number;
  errors: number;
  p50: number;
  p99: number;
  /** p99 of the delay from a save to its event. */
  eventP99: number;
  /** Resident memory that the server has allocated. */
  allocatedMiB: number;
  /** Resident pages of files that it has mapped. */
  mappedMiB: number;
}

export interface Soak {
  /** The measured capacity in requests per second. */
  capacity: number;
  /** The rate of the run in requests per second. */
  rate: number;
  seconds: number;
  requests: number;
  events: number;
  /** Number of errors by message. */
  errors: Map<string, number>;
  /** Requests that were not sent because too many were open. */
  throttled: number;
  samples: Sample[];
  /** Latencies by step. */
  steps: Map<string, Latencies>;
}

/** Writes `soak.md` and its curve `soak.svg` into a folder. */
export function writeReport(soak: Soak, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "soak.svg"), curve(soak.samples));
  writeFileSync(join(folder, "soak.md"), page(soak));
}

function page(soak: Soak): string {
  const { samples } = soak;
  // The first tenth is the warm-up.
  const warm = samples.slice(Math.floor(samples.length / 10));
  const third = Math.max(1, Math.floor(warm.length / 3));
  const memory = (kind: "allocatedMiB" | "mappedMiB") =>
    [warm.slice(0, third), warm.slice(-third)]
      .map((some) => `${mean(some.map((sample) => sample[kind])).toFixed(0)} MiB`)
      .join(", ");
  const p50 = median(warm.map((sample) => sample.p50));
  const p99 = median(warm.map((sample) => sample.p99));
  const failures = [...soak.errors].map(([what, count]) => `${count} × ${what}`);
  const sent = soak.requests / (soak.requests + soak.throttled);
  const limit =
    sent < 0.99
      ? `
The machine could do less during the run than in the measurement before it (other programs used it too): ${Math.round(sent * 100)} % of
the requests were sent, the others held back while a thousand were open. The server was at its limit, and so are the latencies.
`
      : "";
  const rows: [string, string][] = [
    ["capacity, measured before", `${round(soak.capacity)} requests/s`],
    ["asked for", `${round(soak.rate)} requests/s (${Math.round((soak.rate / soak.capacity) * 100)} %)`],
    ["time", soak.seconds >= 120 ? `${Math.round(soak.seconds / 60)} min` : `${Math.round(soak.seconds)} s`],
    ["requests", round(soak.requests)],
    ["events of live queries", round(soak.events)],
    ["errors", failures.length === 0 ? "none" : failures.join(", ")],
    ["requests held back", round(soak.throttled)],
    ["p50, p99 (medians of the samples)", `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`],
    ["p99 ÷ p50", (p99 / p50).toFixed(1)],
    ["save to event, p99", `${median(warm.map(({ eventP99 }) => eventP99)).toFixed(1)} ms`],
    ["allocated memory in the first and the last third", memory("allocatedMiB")],
    ["mapped files in the first and the last third", memory("mappedMiB")],
  ];
  const steps = [...soak.steps].sort(([, a], [, b]) => b.count - a.count);
  const stepRows = steps.map(([name, times]) => {
    const [median50, max] = [times.quantile(0.5), times.quantile(0.99)];
    return `| ${name} | ${round(times.count)} | ${median50.toFixed(1)} | ${max.toFixed(1)} | ${(max / median50).toFixed(1)} |`;
  });
  return `# A long run

One server under a mix of requests at about 80 % of what it can: reads by id, queries, saves (half of them updates that live
queries follow), functions, logins with logouts, files that are uploaded, read and deleted. The load comes from the same
machine, at a rate that does not wait for answers. Memory is that of the whole server process with its threads: what it has
allocated, and the resident pages of files that it has mapped. These are programs and the database, each page counted once for each
thread that has read it; they grow with the database, and the system takes them back when it needs memory.

![Memory, latency and requests over time](soak.svg)
${limit}
| | |
| --- | --- |
${rows.map(([name, value]) => `| ${name} | ${value} |`).join("\n")}

| step | times | p50, ms | p99, ms | p99 ÷ p50 |
| --- | --: | --: | --: | --: |
${stepRows.join("\n")}

Made by \`npm run soak\` on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node.js ${process.version}; a sample every
${samples.length > 1 ? Math.round((samples[1]?.at ?? 0) - (samples[0]?.at ?? 0)) : 10} s.
`;
}

const WIDTH = 860;
const LEFT = 70;
const PANEL = 150;
const GAP = 46;

interface Panel {
  title: string;
  unit: string;
  lines: { name: string; className: string; values: number[] }[];
}

/** Three charts; the colors follow the reader's light or dark mode. */
function curve(samples: Sample[]): string {
  const panels: Panel[] = [
    {
      title: "Memory of the server",
      unit: "MiB",
      lines: [
        { name: "allocated", className: "a", values: samples.map(({ allocatedMiB }) => allocatedMiB) },
        { name: "mapped files", className: "b", values: samples.map(({ mappedMiB }) => mappedMiB) },
      ],
    },
    {
      title: "Latency",
      unit: "ms",
      lines: [
        { name: "p50", className: "a", values: samples.map(({ p50 }) => p50) },
        { name: "p99", className: "b", values: samples.map(({ p99 }) => p99) },
        { name: "event p99", className: "c", values: samples.map(({ eventP99 }) => eventP99) },
      ],
    },
    {
      title: "Requests",
      unit: "per s",
      lines: [
        { name: "answered", className: "a", values: samples.map((each) => each.requestsPerSecond) },
        { name: "errors", className: "b", values: samples.map(({ errors }) => errors) },
      ],
    },
  ];
  const duration = samples.at(-1)?.at ?? 1;
  const height = panels.length * (PANEL + GAP) + 20;
  const body = panels.map((panel, i) => drawPanel(panel, samples, duration, 30 + i * (PANEL + GAP)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Memory, latency and requests over time" font-family="system-ui, sans-serif" font-size="12">
<style>
.ground{fill:#ffffff}.text{fill:#1f2328}.grid{stroke:#d1d9e0}
.a{stroke:#0550ae}.b{stroke:#bc4c00}.c{stroke:#1a7f37}.fa{fill:#0550ae}.fb{fill:#bc4c00}.fc{fill:#1a7f37}
polyline{fill:none;stroke-width:1.5}
@media (prefers-color-scheme:dark){
.ground{fill:#0d1117}.text{fill:#e6edf3}.grid{stroke:#3d444d}
.a{stroke:#79c0ff}.b{stroke:#ffa657}.c{stroke:#7ee787}.fa{fill:#79c0ff}.fb{fill:#ffa657}.fc{fill:#7ee787}}
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
${body.join("\n")}
</svg>
`;
}

function drawPanel({ title, unit, lines }: Panel, samples: Sample[], duration: number, top: number): string {
  const max = niceAbove(Math.max(1e-9, ...lines.flatMap(({ values }) => values)));
  const x = (at: number) => LEFT + (at / duration) * (WIDTH - LEFT - 20);
  const y = (value: number) => top + PANEL - (value / max) * PANEL;
  const elements = [
    `<text class="text" x="${LEFT}" y="${top - 8}" font-weight="600">${title} (${unit})</text>`,
  ];
  for (const share of [0, 0.5, 1]) {
    const at = y(max * share).toFixed(1);
    elements.push(
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - 20}" y1="${at}" y2="${at}"/>`,
      `<text class="text" x="${LEFT - 8}" y="${at}" dy="4" text-anchor="end">${round(max * share)}</text>`,
    );
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const label = duration >= 120 ? `${round((duration * share) / 60)} min` : `${round(duration * share)} s`;
    const anchor = share === 0 ? "start" : share === 1 ? "end" : "middle";
    elements.push(
      `<text class="text" x="${x(duration * share).toFixed(1)}" y="${top + PANEL + 16}" text-anchor="${anchor}">${label}</text>`,
    );
  }
  for (const [i, { name, className, values }] of lines.entries()) {
    const points = samples.map(({ at }, n) => `${x(at).toFixed(1)},${y(values[n] ?? 0).toFixed(1)}`);
    elements.push(
      `<polyline class="${className}" points="${points.join(" ")}"/>`,
      `<text class="f${className}" x="${WIDTH - 20 - (lines.length - 1 - i) * 95}" y="${top - 8}" text-anchor="end">${name}</text>`,
    );
  }
  return elements.join("\n");
}

/** The next of 1, 2, 5, 10, 20, … */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10);
}

function round(value: number): string {
  return (value < 10 ? Math.round(value * 10) / 10 : Math.round(value)).toLocaleString("en");
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
