import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/*
 * Another client, in its own thread: repeats a small request, and samples
 * the server's memory. Reports the longest latency and the peak memory since the last report.
 */

export interface ProbeData {
  port: number;
  path: string;
  appId: string;
  /** The server's process. */
  pid: number;
  /** How long it waits between requests, and between samples of the memory, in ms. */
  pauseMs: number;
}

/** The measurements since the last report. */
export interface ProbeReport {
  /** What 99 of 100 requests waited at most, in ms. */
  p99Ms: number;
  /** Requests that were not answered with 200. */
  failed: number;
  /** Anonymous memory of the process in bytes: peak and current. 0 if the system does not report it. */
  peakBytes: number;
  bytes: number;
}

/** Excludes the memory-mapped database file. */
function memoryOf(pid: number): number {
  try {
    return (
      Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1_024
    );
  } catch {
    return 0;
  }
}

if (parentPort) {
  const port = parentPort;
  const data: ProbeData = workerData;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let waits: number[] = [];
  let startedAt = performance.now();
  let failed = 0;
  let peakBytes = 0;
  setInterval(() => {
    peakBytes = Math.max(peakBytes, memoryOf(data.pid));
  }, data.pauseMs);

  const send = (): void => {
    startedAt = performance.now();
    const next = (isFailure: boolean) => {
      waits.push(performance.now() - startedAt);
      startedAt = performance.now();
      if (isFailure) failed++;
      setTimeout(send, data.pauseMs);
    };
    const clientRequest = request(
      {
        agent,
        host: "127.0.0.1",
        port: data.port,
        path: data.path,
        headers: { "X-Parse-Application-Id": data.appId },
      },
      (response) => {
        response.resume();
        response.once("end", () => next(response.statusCode !== 200));
      },
    );
    clientRequest.once("error", () => next(true));
    clientRequest.end();
  };

  port.on("message", () => {
    const bytes = memoryOf(data.pid);
    // The request that is not answered yet counts as well.
    const sorted = [...waits, performance.now() - startedAt].sort((a, b) => a - b);
    const report: ProbeReport = {
      p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
      failed,
      peakBytes: Math.max(peakBytes, bytes),
      bytes,
    };
    port.postMessage(report);
    waits = [];
    failed = 0;
    peakBytes = bytes;
  });
  send();
}
