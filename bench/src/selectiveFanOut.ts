import { type Purse, startPurse } from "../../tests/support/purse.ts";
import { cpuTimeBetween, readCpuTimes, totalCpuTime } from "./cpuTime.ts";
import { connectSocket, type FanOut } from "./fanOut.ts";

/** Subscribers are divided among this many queries, of which a write matches one. */
const QUERIES = 100;
const CONCURRENCY = 100;

export interface SelectiveFanOut extends Omit<FanOut, "name"> {
  sockets: number;
  /** How many of them receive a write. */
  receivers: number;
  /** CPU time of the server per write, in ms. */
  cpuMs: number;
}

/** Measures how long a write takes to reach the subscribers of one of many queries, on SQLite. */
export async function measureSelectiveFanOut({
  sockets: count,
  writes,
}: {
  sockets: number;
  writes: number;
}): Promise<SelectiveFanOut> {
  const purse = await startPurse({ env: { PURSE_LIVE_SOCKETS_PER_ADDRESS: `${count}` } });
  let remaining = 0;
  let done: () => void = () => undefined;
  const onEvent = () => {
    remaining -= 1;
    if (remaining === 0) done();
  };
  const sockets = [];
  try {
    for (let at = 0; at < count; at += CONCURRENCY) {
      const some = Array.from({ length: Math.min(CONCURRENCY, count - at) }, (_, i) =>
        subscribe(purse, (at + i) % QUERIES, onEvent),
      );
      sockets.push(...(await Promise.all(some)));
    }
    const receivers = count / QUERIES;
    const times: number[] = [];
    const before = readCpuTimes(purse.pid);
    for (let i = 0; i < writes; i++) {
      remaining = receivers;
      const all = new Promise<void>((resolve) => {
        done = resolve;
      });
      const startedAt = performance.now();
      await Promise.all([write(purse, i % QUERIES), all]);
      times.push(performance.now() - startedAt);
    }
    const cpuMs = totalCpuTime(cpuTimeBetween(before, readCpuTimes(purse.pid))) / 1000 / writes;
    times.sort((a, b) => a - b);
    const [median = 0, best = 0, worst = 0] = [times[times.length >> 1], times[0], times.at(-1)];
    return { sockets: count, receivers, median, best, worst, cpuMs };
  } finally {
    for (const socket of sockets) socket.terminate();
    await purse.remove();
  }
}

function subscribe(purse: Purse, topic: number, onEvent: () => void) {
  const query = { className: "Row", where: { topic } };
  const handshake = [
    JSON.stringify({ op: "connect", applicationId: purse.appId }),
    JSON.stringify({ op: "subscribe", requestId: 1, query }),
  ];
  return connectSocket(purse.serverUrl.replace("http", "ws"), handshake, onEvent);
}

async function write(purse: Purse, topic: number): Promise<void> {
  const response = await fetch(`${purse.serverUrl}/classes/Row`, {
    method: "POST",
    headers: { "X-Parse-Application-Id": purse.appId, "Content-Type": "application/json" },
    body: JSON.stringify({ topic, title: "A row" }),
  });
  if (!response.ok) throw new Error(`A row was not created: ${await response.text()}`);
  await response.text();
}
