import { connect, createServer, type Socket } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { freePort } from "../../../tests/support/freePort.ts";
import { type PostgresServer, startPostgres } from "../../../tests/support/postgresServer.ts";

interface Route {
  port: number;
  targetPort: number;
  delayMs: number;
}

/** A server whose commits wait until a standby has them. */
export interface MirroredServer {
  primary: PostgresServer;
  stop(): Promise<void>;
}

/** Starts a server with durable commits and a synchronous standby, whose messages take `delayMs` each way. */
export async function startMirrored(delayMs: number): Promise<MirroredServer> {
  const primary = await startPostgres({ durable: true, more: ["synchronous_standby_names=walreceiver"] });
  const route: Route = { port: await freePort(), targetPort: primary.port, delayMs };
  const network = new Worker(import.meta.filename, { workerData: route });
  await new Promise((resolve, reject) => {
    network.once("message", resolve);
    network.once("error", reject);
  });
  await primary.halt();
  const standby = await primary.copy({ primary: { port: route.port } });
  await primary.resume();
  return {
    primary,
    async stop() {
      await standby.stop();
      await primary.stop();
      await network.terminate();
    },
  };
}

/** Passes on what arrives, `delayMs` later. */
function passOn(from: Socket, to: Socket, delayMs: number): void {
  from.setNoDelay();
  from.on("data", (chunk) => setTimeout(() => to.write(chunk), delayMs));
  from.on("close", () => to.destroy());
  from.on("error", () => to.destroy());
}

// In a thread of its own, where nothing else delays the messages.
if (!isMainThread) {
  const { port, targetPort, delayMs }: Route = workerData;
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    passOn(client, target, delayMs);
    passOn(target, client, delayMs);
  });
  server.listen(port, "127.0.0.1", () => parentPort?.postMessage("listening"));
}
