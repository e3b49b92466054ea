/*
 * Calls cloud code under load, and reports what was answered and how fast:
 *   - 20 callers of a function of 300 ms every 8 s, which is 75 % of a core;
 *   - functions, saves with a trigger and logins while one client calls a function that never ends, every 5 s;
 *   - 10,000 calls at once as far as connections allow.
 *   npm run measure:cloud -- [--seconds 60]
 * Exits with 1 if a bar is missed; the times are for an otherwise idle machine.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type PurseProcess, startPurse } from "../../tests/support/purse.ts";
import { quantile } from "./quantile.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The 99th percentile of others, compared with that without the client that blocks threads. */
const MAX_RATIO = 2;
/** Below this, the ratio says more about the machine than about the server, in ms. */
const MIN_P99_MS = 50;
const CALLS = 10_000;
const CONNECTIONS = 200;

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const durationMs = Number(values.seconds) * 1_000;

interface Call {
  status: number;
  ms: number;
}

const purse = await startPurse({
  env: {
    PURSE_LOG_LEVEL: "error",
    PURSE_CLOUD: join(ROOT, "tests/fixtures/cloud/hostile.mjs"),
    // Clients have addresses of their own.
    PURSE_TRUSTED_PROXIES: "loopback",
  },
});
let areMet = true;
try {
  const user = { username: "ann", password: "correct horse" };
  await send(purse, "192.0.2.1", "/users", user);

  const busy = await repeatedly(20, 8_000, (client) => send(purse, client, "/functions/busy", { ms: 300 }));
  report("20 callers of 300 ms every 8 s", busy);
  await expectRestarts("20 callers of 300 ms every 8 s", 0);

  const before = await others(user);
  const attacker = new AbortController();
  const attacks: number[] = [];
  const attacking = attack(attacker.signal, attacks);
  const during = await others(user);
  attacker.abort();
  await attacking;
  console.log(`The client that blocks threads got ${[...new Set(attacks)].join(", ")}.`);
  for (const [name, calls] of Object.entries(during)) {
    const p99 = report(`${name}, while one client blocks threads`, calls);
    const usual = report(`${name}, without it`, before[name] ?? []);
    if (p99 > MAX_RATIO * Math.max(usual, MIN_P99_MS))
      miss(`${name}: ${(p99 / usual).toFixed(1)} times as long`);
  }

  const restartsBefore = await restarts();
  let left = CALLS;
  const many: Call[] = [];
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, i) => {
      while (left-- > 0) many.push(await send(purse, `198.51.100.${i}`, "/functions/busy", { ms: 2 }));
    }),
  );
  report(`${CALLS} calls by ${CONNECTIONS} connections`, many);
  await expectRestarts("10,000 calls", restartsBefore);
} finally {
  await purse.remove();
}
process.exit(areMet ? 0 : 1);

/** Sends requests of each of some clients in regular intervals, spread evenly. */
async function repeatedly(
  clients: number,
  intervalMs: number,
  call: (client: string) => Promise<Call>,
): Promise<Call[]> {
  const end = performance.now() + durationMs;
  const calls: Promise<Call>[] = [];
  const run = async (index: number) => {
    for (let at = performance.now() + (index * intervalMs) / clients; at < end; at += intervalMs) {
      await sleep(Math.max(0, at - performance.now()));
      calls.push(call(`192.0.2.${index + 2}`));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => run(index)));
  return Promise.all(calls);
}

async function others(user: { username: string; password: string }): Promise<Record<string, Call[]>> {
  const [functions, triggers, logins] = await Promise.all([
    repeatedly(5, 500, (client) => send(purse, client, "/functions/hello", {})),
    repeatedly(5, 500, (client) => send(purse, client, "/classes/Guarded", { n: 1 })),
    repeatedly(5, 2_000, (client) => send(purse, client, "/login", user)),
  ]);
  return { functions, triggers, logins };
}

async function attack(signal: AbortSignal, statuses: number[]): Promise<void> {
  const calls: Promise<unknown>[] = [];
  while (!signal.aborted) {
    calls.push(
      send(purse, "203.0.113.66", "/functions/spin", {}).then(({ status }) => statuses.push(status)),
    );
    await sleep(5_000, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all(calls);
}

async function send({ url, appId }: PurseProcess, client: string, path: string, body: object): Promise<Call> {
  const start = performance.now();
  const response = await fetch(`${url}/server${path}`, {
    method: "POST",
    headers: { "X-Parse-Application-Id": appId, "X-Forwarded-For": client },
    body: JSON.stringify(body),
  });
  await response.text();
  return { status: response.status, ms: performance.now() - start };
}

/** How many threads of cloud code have been ended, because a function or trigger blocked them. */
async function restarts(): Promise<number> {
  const response = await fetch(`${purse.url}/metrics`, {
    headers: { "X-Parse-Master-Key": purse.masterKey, Authorization: `Bearer ${purse.masterKey}` },
  });
  const text = await response.text();
  return [...text.matchAll(/^purse_cloud_interruptions_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

async function expectRestarts(title: string, expected: number): Promise<void> {
  const actual = await restarts();
  if (actual > expected) miss(`${title}: ${actual - expected} threads were ended`);
}

/** Returns the 99th percentile, in ms. */
function report(title: string, calls: readonly Call[]): number {
  const times = calls.map(({ ms }) => ms);
  const failed = calls.filter(({ status }) => status >= 300);
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  console.log(
    `${title}: ${calls.length - failed.length} of ${calls.length} answered, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
  );
  if (failed.length > 0) miss(`${title}: ${[...new Set(failed.map(({ status }) => status))].join(", ")}`);
  return p99;
}

function miss(text: string): void {
  console.log(`Missed: ${text}`);
  areMet = false;
}
