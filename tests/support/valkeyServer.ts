import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { ensureProgram, VALKEY } from "../../scripts/programs.mjs";
import { endOf } from "./endOf.ts";
import { freePort } from "./freePort.ts";
import { until } from "./until.ts";

/** A temporary Valkey (or Redis) server without persistence. */
export interface ValkeyServer {
  url: string;
  /** Kills it, and loses what it stored. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  /** Freezes it: its connections stay open, and nothing is answered. */
  freeze(): void;
  thaw(): void;
}

/** Starts Valkey or Redis. */
export async function startValkey(): Promise<ValkeyServer> {
  const program = ensureProgram(VALKEY);
  if (program === undefined) throw new Error(`install ${VALKEY.debianPackage}, or set ${VALKEY.variable}`);
  const port = await freePort();
  let server: ChildProcess | undefined;
  const start = async () => {
    const options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no"];
    server = spawn(program, ["--port", String(port), ...options], { stdio: "ignore", cwd: "/" });
    await untilListening(server, port);
  };
  await start();
  return {
    url: `valkey://127.0.0.1:${port}`,
    async kill() {
      if (!server || endOf(server) !== undefined) return;
      const exited = new Promise((resolve) => server?.once("exit", resolve));
      server.kill("SIGKILL");
      await exited;
    },
    restart: start,
    freeze: () => void server?.kill("SIGSTOP"),
    thaw: () => void server?.kill("SIGCONT"),
  };
}

/** Waits until a program listens on a port. */
export async function untilListening(program: ChildProcess, port: number): Promise<void> {
  const isListening = () => {
    const ended = endOf(program);
    if (ended !== undefined) throw new Error(`${program.spawnfile} did not start: ${ended}`);
    return new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    });
  };
  try {
    await until(isListening, { otherwise: `${program.spawnfile} did not listen` });
  } catch (error) {
    program.kill("SIGKILL");
    throw error;
  }
}
