import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LoadRequest, VARIED } from "./contestants.ts";

export interface Load {
  requestsPerSecond: number;
  /** In ms. */
  p50: number;
  p99: number;
}

const CONNECTIONS = 32;
/** A program for wrk that numbers the requests in flight. */
const VARY = `local n = 0
function request()
  n = (n + 1) % ${CONNECTIONS}
  return wrk.format(nil, (wrk.path:gsub("${VARIED}", tostring(n))))
end`;
const hasWrk = spawnSync("wrk", ["--version"]).error === undefined;

/** The load generator: wrk if it is installed, else autocannon. */
export const GENERATOR = hasWrk ? "wrk" : "autocannon";

/** Throws if the response is not as expected. */
export async function verify(request: LoadRequest, expected: (text: string) => boolean): Promise<void> {
  const { method, headers, body } = request;
  const response = await fetch(request.url.replace(VARIED, "0"), {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (!response.ok || !expected(text))
    throw new Error(`${request.url} answered ${response.status}: ${text.slice(0, 300)}`);
}

/** Repeats a request over 32 connections, in a separate process. Throws if a response was not 2xx. */
export function generateLoad(request: LoadRequest, seconds: number): Promise<Load> {
  return hasWrk ? runWrk(request, seconds) : runAutocannon(request, seconds);
}

async function runWrk(request: LoadRequest, seconds: number): Promise<Load> {
  const script = join(mkdtempSync(join(tmpdir(), "bench-wrk-")), "shot.lua");
  const headers = Object.entries(request.headers).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}]=${JSON.stringify(value)}`,
  );
  const body = request.body === undefined ? [] : [`wrk.body=[==[${request.body}]==]`];
  const variation = request.url.includes(VARIED) ? [VARY] : [];
  writeFileSync(script, [`wrk.method="${request.method}"`, ...headers, ...body, ...variation].join("\n"));
  const output = await run("wrk", [
    "-t1",
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    "--latency",
    "-s",
    script,
    request.url,
  ]);
  if (/Non-2xx/.test(output)) throw new Error(`${request.url}: ${/Non-2xx.*/.exec(output)?.[0]}`);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    p50: milliseconds(/\s50%\s+(\S+)/.exec(output)?.[1]),
    p99: milliseconds(/\s99%\s+(\S+)/.exec(output)?.[1]),
  };
}

async function runAutocannon(request: LoadRequest, seconds: number): Promise<Load> {
  if (request.url.includes(VARIED)) throw new Error("Requests that differ need wrk");
  const headers = Object.entries(request.headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const body = request.body === undefined ? [] : ["-b", request.body];
  const bin = join(import.meta.dirname, "../node_modules/.bin/autocannon");
  const args = [
    "-c",
    `${CONNECTIONS}`,
    "-d",
    `${seconds}`,
    "-m",
    request.method,
    "-j",
    ...headers,
    ...body,
    request.url,
  ];
  const result: { non2xx: number; requests: { average: number }; latency: { p50: number; p99: number } } =
    JSON.parse(await run(bin, args));
  if (result.non2xx > 0) throw new Error(`${request.url}: ${result.non2xx} answers were not 2xx`);
  return { requestsPerSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

function run(command: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.on("data", (chunk) => (output += chunk));
    child.once("error", reject);
    child.once("exit", () => resolve(output));
  });
}

/** wrk writes `1.23ms`, `456.00us` or `1.20s`. */
function milliseconds(text: string | undefined): number {
  const [, number = "0", unit = "ms"] = /^([\d.]+)(us|ms|s|m)$/.exec(text ?? "") ?? [];
  return Number(number) * { us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit as "us" | "ms" | "s" | "m"];
}
