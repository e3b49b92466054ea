import type { Purse } from "./purse.ts";
import { until } from "./until.ts";

/** Requests that clients send, and how they ended. */
export interface ProcessLoad {
  /** The number of requests that have been answered as expected. */
  succeeded(): number;
  /** The requests that failed, described. */
  failures(): string[];
  /** Waits until this many more requests have succeeded. */
  more(count: number): Promise<void>;
  /** Ends after the requests that are open. */
  stop(): Promise<void>;
}

/** Creates objects and reads them again, with this many clients. Each object has the next number as `n`. */
export function startLoad(purse: Pick<Purse, "serverUrl" | "appId">, clients: number): ProcessLoad {
  const headers = { "X-Parse-Application-Id": purse.appId, "Content-Type": "application/json" };
  const failures: string[] = [];
  let succeeded = 0;
  let last = 0;
  let isStopped = false;

  /** Returns the response if it is as expected. */
  async function send(
    method: string,
    path: string,
    status: number,
    body?: string,
  ): Promise<string | undefined> {
    try {
      const response = await fetch(`${purse.serverUrl}${path}`, { method, headers, ...(body && { body }) });
      const text = await response.text();
      if (response.status === status) {
        succeeded += 1;
        return text;
      }
      failures.push(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      failures.push(`${method} ${path}: ${String(cause)}`);
    }
    return undefined;
  }

  async function work(): Promise<void> {
    while (!isStopped) {
      last += 1;
      const created = await send("POST", "/classes/Load", 201, JSON.stringify({ n: last }));
      if (created === undefined) continue;
      const { objectId }: { objectId: string } = JSON.parse(created);
      await send("GET", `/classes/Load/${objectId}`, 200);
    }
  }
  const working = Promise.all(Array.from({ length: clients }, work));

  return {
    succeeded: () => succeeded,
    failures: () => failures,
    async more(count) {
      const wanted = succeeded + count;
      await until(() => succeeded >= wanted, { otherwise: () => `Requests fail: ${failures.join("\n")}` });
    },
    async stop() {
      isStopped = true;
      await working;
    },
  };
}
