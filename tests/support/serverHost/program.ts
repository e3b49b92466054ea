/*
 * A process that runs servers for tests, several at a time and one after the other. Starting one takes a fifth of the CPU
 * time of a process of its own, which loads and compiles all code again.
 */
import { createServer, type Socket } from "node:net";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { type RunningServer, runServer, startLocalChain } from "@purse/cli";
import { createLogger, loadConfig } from "@purse/server";
import type { HostMessage, HostRequest } from "./messages.ts";
import { hashQuickly } from "./quickHashes.ts";

/** How long the process waits for the next test, in ms; the end of the test run ends it earlier. */
const IDLE_MS = 120_000;

/** A documentation site of a few files: building the real one takes a minute. */
const DOCS = resolve(import.meta.dirname, "../../fixtures/docs");

hashQuickly();

interface HostedServer {
  server: RunningServer;
  localChain: Awaited<ReturnType<typeof startLocalChain>>;
}

let connections = 0;
const idle = setTimeout(() => connections === 0 && process.exit(0), IDLE_MS);

/** Serves a test file; when it ends, its servers end. */
function serve(socket: Socket): void {
  connections += 1;
  const servers = new Map<number, Promise<HostedServer>>();
  const send = (message: HostMessage) => socket.writable && socket.write(`${JSON.stringify(message)}\n`);

  async function start(
    id: number,
    env: Record<string, string | undefined>,
    cwd: string,
  ): Promise<HostedServer> {
    const config = await loadConfig({ argv: [], env, cwd });
    const logger = createLogger({
      level: config.logLevel,
      format: config.logFormat,
      write: (line) => send({ type: "log", id, line }),
    });
    // Its process is not killed, and saving takes a twentieth of a core.
    const localChain = await startLocalChain(config, logger, { autoSave: false });
    const fail = (error: unknown): never => {
      throw error;
    };
    try {
      const server = await runServer({
        config,
        logger,
        localChain,
        docs: { open: async () => DOCS },
        onFatal: fail,
        onRestartFailed: fail,
      });
      return { server, localChain };
    } catch (error) {
      await localChain?.stop();
      throw error;
    }
  }

  async function stop(id: number, isDiscarded: boolean): Promise<void> {
    const hosted = await servers.get(id);
    servers.delete(id);
    if (!hosted) return;
    const { server, localChain } = hosted;
    // It would save its state first, which takes seconds.
    if (localChain && isDiscarded) process.kill(-localChain.pid, "SIGKILL");
    await server.stop();
    await localChain?.stop();
  }

  async function handle(request: HostRequest): Promise<void> {
    if (request.type === "exit") process.exit(0);
    const { id } = request;
    try {
      if (request.type === "start") {
        const starting = start(id, request.settings, request.cwd);
        servers.set(id, starting);
        const { localChain } = await starting;
        send({ type: "started", id, rpcUrl: localChain?.url });
      } else {
        await stop(id, request.isDiscarded);
        send({ type: "stopped", id });
      }
    } catch (error) {
      servers.delete(id);
      send({
        type: "failed",
        id,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  }

  createInterface({ input: socket }).on("line", (line) => {
    const request: HostRequest = JSON.parse(line);
    void handle(request);
  });
  socket.on("error", () => socket.destroy());
  socket.once("close", async () => {
    await Promise.allSettled([...servers.keys()].map((id) => stop(id, true)));
    connections -= 1;
    idle.refresh();
  });
}

const [path = ""] = process.argv.slice(2);
const listener = createServer(serve);
// Another worker's test has started one meanwhile.
listener.once("error", () => process.exit(0));
listener.listen(path);
