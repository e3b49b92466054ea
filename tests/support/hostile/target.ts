import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { JsonObject } from "@purse/protocol";
import { type Purse, rest, signUp, startPurse } from "../purse.ts";
import { until } from "../until.ts";
import type { ProbeData, ProbeReport } from "./probe.ts";

export interface HostileRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** An attacked server with what attackers have: public data and an account of their own. */
export interface Target {
  purse: Purse;
  sessionToken: string;
  /** A publicly writable object with a list of 20,000 strings. */
  objectId: string;
  /** Returns the status; 0 if the connection was closed without a response. */
  send(request: HostileRequest): Promise<number>;
  /** Measures the cost of a task until the server is idle again. */
  measure<T>(task: () => Promise<T>): Promise<{ result: T; cost: Cost }>;
  stop(): Promise<void>;
}

/** The cost of a task for the server. */
export interface Cost {
  /** The longest blocking of the event loop, in ms of CPU time. */
  stallMs: number;
  /** Total CPU time of the event loop, in ms. */
  cpuMs: number;
  /** Bytes allocated on the main thread's heap, including freed ones. */
  allocatedBytes: number;
  /** Peak growth of the process's memory, in bytes; 0 if the system does not report it. */
  growthBytes: number;
  /** The latency of another client in 99 of 100 requests, in ms. */
  waitMs: number;
  /** Requests of the other client that were not answered with 200. */
  failedProbes: number;
}

/** An object with fields of every type that shapes are saved into. */
const OBJECT = { text: "t", list: ["l"], map: { m: 1 }, number: 1 };

/** `probePauseMs` is how long the other client waits between requests, and between samples of the server's memory. */
export async function startTarget(
  env: Record<string, string> = {},
  { probePauseMs = 4 }: { probePauseMs?: number } = {},
): Promise<Target> {
  const monitorPath = join(tmpdir(), `purse-loop-${process.pid}-${randomBytes(4).toString("hex")}`);
  const purse = await startPurse({
    env: {
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "loopMonitor.mjs")).href}`,
      PURSE_TEST_LOOP_MONITOR: monitorPath,
      PURSE_TEST_LOOP_PARENT: String(process.pid),
      PURSE_LOG_LEVEL: "error",
      PURSE_TRACKING: "1",
      PURSE_MCP: "write",
      PURSE_CLOUD: join(import.meta.dirname, "../../fixtures/cloud/hostile.mjs"),
      ...env,
    },
  });
  const master = { useMasterKey: true };
  await rest(purse, "POST", "/classes/Hostile", OBJECT, master);
  const list = Array.from({ length: 20_000 }, (_, i) => `known ${i}`);
  const { body } = await rest(purse, "POST", "/classes/Hostile", { ...OBJECT, list }, master);
  const probedObject = await rest(purse, "POST", "/classes/Probe", { n: 1 }, master);
  const { sessionToken } = await signUp(purse);
  const monitor = await openMonitor(monitorPath);
  const data: ProbeData = {
    port: purse.port,
    path: `/server/classes/Probe/${probedObject.body.objectId}`,
    appId: purse.appId,
    pid: purse.pid,
    pauseMs: probePauseMs,
  };
  const probe = new Worker(new URL("./probe.ts", import.meta.url), { workerData: data });
  const agent = new Agent({ keepAlive: false, maxSockets: 64 });

  const read = async () => {
    const seen = new Promise<ProbeReport>((resolve) => probe.once("message", resolve));
    probe.postMessage(null);
    return { ...(await monitor.read()), ...(await seen) };
  };

  return {
    purse,
    sessionToken,
    objectId: String(body.objectId),
    send: (each) => send(purse, agent, each),
    async measure(task) {
      const { bytes } = await read();
      const result = await task();
      await waitUntilIdle(purse.pid);
      const { stallMs, cpuMs, allocatedBytes, p99Ms, failed, peakBytes } = await read();
      const growthBytes = Math.max(0, peakBytes - bytes);
      return {
        result,
        cost: { stallMs, cpuMs, allocatedBytes, growthBytes, waitMs: p99Ms, failedProbes: failed },
      };
    },
    async stop() {
      await probe.terminate();
      monitor.close();
      agent.destroy();
      await purse.remove();
      rmSync(monitorPath, { force: true });
    },
  };
}

function send(purse: Purse, agent: Agent, each: HostileRequest): Promise<number> {
  const { method = "POST", path, headers = {}, body } = each;
  return new Promise((resolve) => {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const sent = request(
      {
        agent,
        host: "127.0.0.1",
        port: purse.port,
        method,
        path,
        headers: { ...headers, ...(bytes && { "Content-Length": String(bytes.length) }) },
      },
      (response) => {
        response.resume();
        const status = response.statusCode ?? 0;
        response.once("end", () => resolve(status));
        response.once("error", () => resolve(status));
        response.once("close", () => resolve(status));
      },
    );
    // A server that rejects a body may close the connection during the upload.
    sent.once("error", () => resolve(0));
    sent.end(bytes);
  });
}

/** An idle server uses less CPU time than this between two looks, in ms. */
const IDLE_MS = 10;

/** Waits until the event loop is idle: work may continue after a response. */
async function waitUntilIdle(pid: number): Promise<void> {
  const cpu = () => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6;
    } catch {
      return 0;
    }
  };
  let before = Number.NEGATIVE_INFINITY;
  await until(() => {
    const now = cpu();
    const used = now - before;
    before = now;
    // The probe's requests continue.
    return used < IDLE_MS;
  });
}

interface Monitor {
  /** The measurements since the last call. */
  read(): Promise<Pick<Cost, "stallMs" | "cpuMs" | "allocatedBytes">>;
  close(): void;
}

async function openMonitor(path: string): Promise<Monitor> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = connect(path, () => resolve(opened));
    opened.once("error", reject);
  });
  socket.setEncoding("utf8").on("error", () => undefined);
  return {
    read: () =>
      new Promise((resolve) => {
        let text = "";
        const onData = (piece: string) => {
          text += piece;
          if (!text.endsWith("\n")) return;
          socket.off("data", onData);
          resolve(JSON.parse(text));
        };
        socket.on("data", onData);
        socket.write("?");
      }),
    close: () => socket.destroy(),
  };
}

/** Headers with the application id, which is public. */
export function applicationHeaders(
  { purse }: Target,
  more: Record<string, string> = {},
): Record<string, string> {
  return { "X-Parse-Application-Id": purse.appId, "Content-Type": "application/json", ...more };
}

/** The body of a legacy client. */
export function enveloped({ purse }: Target, fields: JsonObject): string {
  return JSON.stringify({ _ApplicationId: purse.appId, ...fields });
}
