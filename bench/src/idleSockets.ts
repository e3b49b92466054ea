import { readFileSync } from "node:fs";
import { WebSocket } from "ws";
import { type Purse, startPurse } from "../../tests/support/purse.ts";

const CONCURRENCY = 100;

export interface IdleSockets {
  count: number;
  /** Resident memory of the server, in bytes. */
  before: number;
  after: number;
}

/** Measures the memory of idle live query connections, each with one subscription. */
export async function measureIdleSockets(count: number): Promise<IdleSockets> {
  const purse = await startPurse({ env: { PURSE_LIVE_SOCKETS_PER_ADDRESS: `${count}` } });
  const sockets: WebSocket[] = [];
  try {
    const before = residentBytes(purse.pid);
    for (let at = 0; at < count; at += CONCURRENCY) {
      const some = Array.from({ length: Math.min(CONCURRENCY, count - at) }, () => openSocket(purse));
      sockets.push(...(await Promise.all(some)));
    }
    return { count, before, after: residentBytes(purse.pid) };
  } finally {
    for (const socket of sockets) socket.terminate();
    await purse.remove();
  }
}

async function openSocket(purse: Purse): Promise<WebSocket> {
  const socket = new WebSocket(purse.serverUrl.replace("http", "ws"), { perMessageDeflate: false });
  await new Promise((opened, fail) => socket.once("open", opened).once("error", fail));
  const query = { className: "Row", where: { openSocket: true } };
  for (const message of [
    { op: "connect", applicationId: purse.appId },
    { op: "subscribe", requestId: 1, query },
  ]) {
    socket.send(JSON.stringify(message));
    await new Promise((answered) => socket.once("message", answered));
  }
  return socket;
}

/** The resident memory of a process, from /proc. */
export function residentBytes(pid: number): number {
  const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}
