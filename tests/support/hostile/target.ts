import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { JsonObject } from "@purse/protocol";
import { type Purse, rest, signUp, startPurse } from "../purse.ts";
import type { ProbeData, ProbeReport } from "./probe.ts";

export interface HostileRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** What somebody has who attacks a server: an address, what every visitor knows, and an account of their own. */
export interface Target {
  purse: Purse;
  sessionToken: string;
  /** An object that anybody may change, with a list of 20,000 texts. */
  objectId: string;
  /** Answers the status; 0 where the connection was ended without an answer. */
  send(request: HostileRequest): Promise<number>;
  /** What happens while `work` runs, and until the server has nothing to do any more. */
  measure<T>(task: () => Promise<T>): Promise<{ result: T; cost: Cost }>;
  stop(): Promise<void>;
}

/** What something has cost the server. */
export interface Cost {
  /** CPU time for which the request loop was held up in one go, at worst, in ms. */
  stallMs: number;
  /** CPU time of the request loop in all, in ms. */
  cpuMs: number;
  /** What the request loop's heap has allocated, in bytes, whether or not it is free again. */
  allocatedBytes: number;
  /** By how much the process's own memory has grown at its peak, in bytes; 0 where the system does not say. */
  growthBytes: number;
  /** How long the longest request of another client took, in ms. */
  waitMs: number;
  /** Requests of the other client that were not answered with 200. */
  failedProbes: number;
}

/** Classes as attackers find them: fields of every type that shapes are saved into. */
const OBJECT = { text: "t", list: ["l"], map: { m: 1 }, number: 1 };

export async function startTarget(env: Record<string, string> = {}): Promise<Target> {
  const monitorPath = join(tmpdir(), `purse-loop-${process.pid}-${randomBytes(4).toString("hex")}`);
  const purse = await startPurse({
    env: {
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "loopMonitor.mjs")).href}`,
      PURSE_TEST_LOOP_MONITOR: monitorPath,
      PURSE_TEST_LOOP_PARENT: String(process.pid),
      PURSE_LOG_LEVEL: "error",
      PURSE_TRACKING: "1",
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
      const { stallMs, cpuMs, allocatedBytes, worstMs, failed, peakBytes } = await read();
      const growthBytes = Math.max(0, peakBytes - bytes);
      return {
        result,
        cost: { stallMs, cpuMs, allocatedBytes, growthBytes, waitMs: worstMs, failedProbes: failed },
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
    const bytes = body === undefined ? undefined : Buffer.from(body);
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
    // A server that refuses a body may end the connection while it is being sent.
    sent.once("error", () => resolve(0));
    sent.end(bytes);
  });
}

/** Waits until the request loop has used hardly any CPU time for a moment: work may go on after an answer. */
async function waitUntilIdle(pid: number): Promise<void> {
  const cpu = () => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6;
    } catch {
      return 0;
    }
  };
  for (let waited = 0, before = cpu(); waited < 30_000; waited += 50) {
    await sleep(50);
    const now = cpu();
    // The other client's requests go on.
    if (now - before < 30) return;
    before = now;
  }
}

interface Monitor {
  /** Since it was last asked. */
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

/** Headers of somebody who knows the application, as every visitor of its pages does. */
export function applicationHeaders(
  { purse }: Target,
  more: Record<string, string> = {},
): Record<string, string> {
  return { "X-Parse-Application-Id": purse.appId, "Content-Type": "application/json", ...more };
}

/** A body of old clients. */
export function enveloped({ purse }: Target, fields: JsonObject): string {
  return JSON.stringify({ _ApplicationId: purse.appId, ...fields });
}
