import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/*
 * Another client, in a thread of its own: sends a small request as soon as the one before it was answered, and says how
 * long the longest took since it was last asked.
 */

export interface ProbeData {
  port: number;
  path: string;
  appId: string;
}

if (parentPort) {
  const port = parentPort;
  const data: ProbeData = workerData;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let worst = 0;
  let since = performance.now();
  let failed = 0;

  const send = (): void => {
    since = performance.now();
    const next = (isFailure: boolean) => {
      worst = Math.max(worst, performance.now() - since);
      since = performance.now();
      if (isFailure) failed++;
      setTimeout(send, isFailure ? 20 : 4);
    };
    const sent = request(
      {
        agent,
        host: "127.0.0.1",
        port: data.port,
        path: data.path,
        headers: { "X-Parse-Application-Id": data.appId },
      },
      (response) => {
        response.resume();
        response.once("end", () => next(response.statusCode !== 200));
      },
    );
    sent.once("error", () => next(true));
    sent.end();
  };

  port.on("message", () => {
    port.postMessage({ worstMs: Math.max(worst, performance.now() - since), failed });
    worst = 0;
    failed = 0;
  });
  send();
}
