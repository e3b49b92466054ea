import { spawn } from "node:child_process";
import { join } from "node:path";
import { WebSocket } from "ws";
import { freePort } from "../../tests/support/freePort.ts";
import { newDatabase, startPostgres } from "../../tests/support/postgresServer.ts";
import { type Purse, startPurse } from "../../tests/support/purse.ts";

const FIELDS = {
  n: 1,
  open: true,
  title: "Row number 1",
  note: "A sentence that a person might have written.",
};

interface Contestant {
  name: string;
  url: string;
  /** Messages that a socket sends after opening; each gets one response. */
  handshake: string[];
  write(): Promise<unknown>;
  stop(): Promise<unknown>;
}

async function startPurseContestant(name: string, purse: Purse): Promise<Contestant> {
  const query = { className: "Row", where: { open: true } };
  return {
    name,
    url: purse.serverUrl.replace("http", "ws"),
    handshake: [
      JSON.stringify({ op: "connect", applicationId: purse.appId }),
      JSON.stringify({ op: "subscribe", requestId: 1, query }),
    ],
    write: () =>
      post(
        `${purse.serverUrl}/classes/Row`,
        { "X-Parse-Application-Id": purse.appId },
        JSON.stringify(FIELDS),
      ),
    stop: () => purse.remove(),
  };
}

async function startBareContestant(): Promise<Contestant> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, "bareBroadcast.mjs"), `${port}`]);
  await new Promise((ready) => child.stdout.once("data", ready));
  const object = { ...FIELDS, objectId: "abcdefghij", createdAt: new Date(), updatedAt: new Date() };
  const event = { op: "create", clientId: crypto.randomUUID(), requestId: 1, position: "a.1", object };
  return {
    name: "bare ws",
    url: `ws://127.0.0.1:${port}`,
    handshake: [],
    write: () => post(`http://127.0.0.1:${port}`, {}, JSON.stringify(event)),
    stop: async () => child.kill(),
  };
}

async function post(url: string, headers: Record<string, string>, body: string): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body,
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.text();
}

/** Opens sockets; each calls back for every message after its handshake. */
async function subscribe(
  { url, handshake }: Contestant,
  count: number,
  onEvent: () => void,
): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  for (let at = 0; at < count; at += 50) {
    const some = Array.from({ length: Math.min(50, count - at) }, () =>
      connectSocket(url, handshake, onEvent),
    );
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

/** Opens a socket and sends the messages, waiting for the response to each. */
export async function connectSocket(
  url: string,
  handshake: string[],
  onEvent: () => void,
): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise((open, fail) => socket.once("open", open).once("error", fail));
  for (const message of handshake) {
    socket.send(message);
    await new Promise((answered) => socket.once("message", answered));
  }
  socket.on("message", onEvent);
  return socket;
}

/** Milliseconds from each write to its last event, the shortest first. */
async function measure(contestant: Contestant, { sockets: count, writes }: FanOutSize): Promise<number[]> {
  let remaining = 0;
  let done: () => void = () => undefined;
  const sockets = await subscribe(contestant, count, () => {
    remaining -= 1;
    if (remaining === 0) done();
  });
  const times: number[] = [];
  for (let i = 0; i < writes; i++) {
    remaining = count;
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    const from = performance.now();
    await Promise.all([contestant.write(), all]);
    times.push(performance.now() - from);
  }
  for (const socket of sockets) socket.terminate();
  return times.sort((a, b) => a - b);
}

export interface FanOutSize {
  sockets: number;
  writes: number;
}

export interface FanOut {
  name: string;
  /** In ms. */
  median: number;
  best: number;
  worst: number;
}

/** Measures how long one write takes to reach all subscribers, compared with a bare broadcast by `ws`. */
export async function measureFanOut(size: FanOutSize): Promise<FanOut[]> {
  const postgres = await startPostgres({ durable: true });
  const contestants: Contestant[] = [];
  const results: FanOut[] = [];
  try {
    contestants.push(
      await startBareContestant(),
      await startPurseContestant("Purse, SQLite", await startPurse()),
      await startPurseContestant(
        "Purse, PostgreSQL",
        await startPurse({ env: { PURSE_DATABASE_URL: await newDatabase(postgres.url) } }),
      ),
    );
    for (const contestant of contestants) {
      const times = await measure(contestant, size);
      const [median = 0, best = 0, worst = 0] = [times[times.length >> 1], times[0], times.at(-1)];
      console.log(`${contestant.name}: ${median.toFixed(1)} ms (${best.toFixed(1)} to ${worst.toFixed(1)})`);
      results.push({ name: contestant.name, median, best, worst });
    }
  } finally {
    for (const { stop } of contestants) await stop();
    await postgres.stop();
  }
  return results;
}
