import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LoadRequest } from "./contestants.ts";

const CONNECTIONS = 32;

/** Sends a request `count` times over 32 connections, from a process of its own. Throws unless all responses are 2xx. */
export async function sendRequests(request: LoadRequest, count: number): Promise<void> {
  const url = new URL(request.url);
  const body = request.body ?? "";
  const headers = {
    Host: url.host,
    ...request.headers,
    ...(request.body !== undefined && { "Content-Length": Buffer.byteLength(body) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = [`${request.method} ${url.pathname}${url.search} HTTP/1.1`, ...lines, "", body].join("\r\n");
  const options = { port: url.port, request: text, count, connections: CONNECTIONS };
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, "fixedLoad.mjs"),
    JSON.stringify(options),
  ]);
  const { failed }: { failed: number } = JSON.parse(stdout);
  if (failed > 0) throw new Error(`${failed} of ${count} requests to ${request.url} failed`);
}
