import cluster from "node:cluster";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogger } from "../core/logger.ts";
import { ProcessSupervisor } from "./processSupervisor.ts";
import { ServerProcess } from "./serverProcess.ts";

const GROUP = pathToFileURL(join(import.meta.dirname, "processGroup.ts")).href;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-supervisor-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const REPORT_READY = `group.reportReady("http://127.0.0.1:1");`;

/** Stops the event loop, without a load for other tests. */
const STAND_STILL = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";

/** Lets processes run this code after they have reported that they are ready. */
function setProgram(code: string): void {
  setStart(REPORT_READY + code);
}

/** Lets processes run this code after they have joined the group. */
function setStart(code: string): void {
  setFile(
    `import { joinProcessGroup } from ${JSON.stringify(GROUP)};
     const group = joinProcessGroup();
     group.onStop(() => process.exit(0));
     ${code}`,
  );
}

/** Lets processes run this code. */
function setFile(code: string): void {
  const file = join(folder, "program.mjs");
  writeFileSync(file, code);
  cluster.setupPrimary({ exec: file, execArgv: [], silent: true });
}

describe("ProcessSupervisor", () => {
  it("kills a process whose event loop stands still, and starts another one", async () => {
    // Its first ping is the last message that it reads.
    setProgram(`process.on("message", () => ${STAND_STILL});`);
    const log: string[] = [];
    const logger = createLogger({ level: "info", format: "text", write: (line) => log.push(line) });
    const supervisor = new ProcessSupervisor({ count: 1, stopTimeoutMs: 100, pingIntervalMs: 250, logger });
    try {
      await supervisor.start();
      await expect
        .poll(() => log.join("\n"), { timeout: 30_000 })
        .toMatch(/a process does not respond and is killed.*\n.*is started again.*SIGKILL/);
    } finally {
      await supervisor.stop("now");
    }
  });

  it("waits for a process that takes hours to start, as it migrates the database", async () => {
    const logger = createLogger({ level: "info", format: "text", write: () => undefined });
    const started = join(folder, "started");
    setStart(`
      const { existsSync, writeFileSync } = await import("node:fs");
      writeFileSync(${JSON.stringify(started)}, "");
      await new Promise((resolve) => setInterval(() => existsSync(${JSON.stringify(join(folder, "migrated"))}) && resolve(), 20));
      ${REPORT_READY}`);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const supervisor = new ProcessSupervisor({ count: 1, stopTimeoutMs: 100, logger });
    try {
      const starting = supervisor.start();
      await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 20_000 });
      vi.advanceTimersByTime(3 * 3_600_000);
      writeFileSync(join(folder, "migrated"), "");
      await starting;
    } finally {
      vi.useRealTimers();
      await supervisor.stop("now");
    }
  });

  it("kills a process whose start stands still", async () => {
    setStart(STAND_STILL);
    const log: string[] = [];
    const logger = createLogger({ level: "info", format: "text", write: (line) => log.push(line) });
    const supervisor = new ProcessSupervisor({ count: 1, stopTimeoutMs: 100, pingIntervalMs: 40, logger });
    await expect(supervisor.start()).rejects.toThrow("SIGKILL");
    expect(log.join("\n")).toContain("a process does not respond and is killed");
    await supervisor.stop("now");
  });
});

describe("ServerProcess", () => {
  it("does not count pings that the process has not received while it loaded its modules", async () => {
    setFile(
      `process.send({ kind: "ready", url: "http://127.0.0.1:1" }); setInterval(() => undefined, 1_000);`,
    );
    const process = new ServerProcess({ worker: cluster.fork(), onMetricsRequest: () => undefined });
    for (let i = 0; i < 20; i++) process.ping();
    await process.ready;
    expect(process.unansweredPings).toBe(0);
    await process.stop("now", 100);
  });

  it("returns what the process has counted, at once, if it ends before it responds", async () => {
    setProgram("group.shareMetrics(() => new Promise(() => undefined));");
    const process = new ServerProcess({ worker: cluster.fork(), onMetricsRequest: () => undefined });
    await process.ready;
    const metrics = process.metrics(1);
    await process.stop("now", 5_000);
    expect(await metrics).toEqual([]);
    expect(await process.metrics(2)).toEqual([]);
  });
});
