/*
 * Measures the memory of live query connections on which nothing happens, each with one subscription.
 *   node scripts/run.mjs bench/src/idleSockets.ts [--sockets 10000]
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { WebSocket } from "ws";
import { startPurse } from "../../tests/support/purse.ts";

const { values } = parseArgs({ options: { sockets: { type: "string", default: "10000" } } });
const SOCKETS = Number(values.sockets);
const AT_ONCE = 100;

const purse = await startPurse({ env: { PURSE_LIVE_SOCKETS_PER_ADDRESS: `${SOCKETS}` } });
const sockets: WebSocket[] = [];
try {
  const before = residentBytes(purse.pid);
  for (let at = 0; at < SOCKETS; at += AT_ONCE) {
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, SOCKETS - at) }, open))));
  }
  const after = residentBytes(purse.pid);
  const each = (after - before) / SOCKETS / 1024;
  console.log(
    `${SOCKETS} idle sockets: ${mib(before)} MiB before, ${mib(after)} MiB with them, ${each.toFixed(1)} KiB each`,
  );
} finally {
  for (const socket of sockets) socket.terminate();
  await purse.remove();
}

async function open(): Promise<WebSocket> {
  const socket = new WebSocket(purse.serverUrl.replace("http", "ws"), { perMessageDeflate: false });
  await new Promise((opened, fail) => socket.once("open", opened).once("error", fail));
  const query = { className: "Row", where: { open: true } };
  for (const message of [
    { op: "connect", applicationId: purse.appId },
    { op: "subscribe", requestId: 1, query },
  ]) {
    socket.send(JSON.stringify(message));
    await new Promise((answered) => socket.once("message", answered));
  }
  return socket;
}

/** What the process holds in memory, as Linux says. */
function residentBytes(pid: number): number {
  const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}

function mib(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
