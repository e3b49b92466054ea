import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./freePort.ts";
import { until } from "./until.ts";

/** A load balancer in front of servers on this machine, whose `/ready` it checks. */
export interface Balancer {
  port: number;
  /** Waits until it uses the server on this port, or does not. */
  untilUsed(port: number, isUsed: boolean): Promise<void>;
  close(): Promise<void>;
}

const CHECK_MS = 200;

/** Starts a balancer of TCP connections, which go to one server after the other. */
export async function startTcpBalancer(ports: readonly number[]): Promise<Balancer> {
  const healthy = new Set<number>();
  const open = new Set<Socket>();
  let next = 0;

  async function check(port: number): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${port}/ready`, {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(10 * CHECK_MS),
    }).catch(() => undefined);
    await response?.text().catch(() => undefined);
    if (response?.ok) healthy.add(port);
    else healthy.delete(port);
  }
  await Promise.all(ports.map(check));
  const timers = ports.map((port) => setInterval(() => void check(port), CHECK_MS));

  function forward(client: Socket, attempts: number): void {
    const candidates = ports.filter((port) => healthy.has(port));
    next += 1;
    const port = candidates[next % candidates.length];
    if (port === undefined || attempts === 0) return void client.destroy();
    const server = connect(port, "127.0.0.1");
    // A refused connection has taken nothing from the client.
    const retry = () => forward(client, attempts - 1);
    server.once("error", retry);
    server.once("connect", () => {
      server.off("error", retry);
      open.add(server);
      client.pipe(server).pipe(client);
      server.on("error", () => client.destroy());
      server.on("close", () => {
        open.delete(server);
        client.end();
      });
      client.on("close", () => server.destroy());
    });
  }
  const listener = createServer({ allowHalfOpen: false }, (client) => {
    open.add(client);
    client.on("error", () => undefined);
    client.on("close", () => open.delete(client));
    forward(client, ports.length);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    untilUsed: (port, isUsed) => until(() => healthy.has(port) === isUsed).then(() => undefined),
    async close() {
      for (const timer of timers) clearInterval(timer);
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** Starts HAProxy, a program of this machine. It balances HTTP requests, not connections. */
export async function startHaproxy(program: string, ports: readonly number[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "purse-haproxy-"));
  const [port, statsPort] = [await freePort(), await freePort()];
  const file = join(folder, "haproxy.cfg");
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  timeout tunnel 1h
  option httpchk GET /ready
  option redispatch
  retries 3
frontend purse
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
${ports.map((each) => `  server node${each} 127.0.0.1:${each} check inter ${CHECK_MS}ms fall 1 rise 1`).join("\n")}
frontend stats
  bind 127.0.0.1:${statsPort}
  stats enable
  stats uri /stats
`,
  );
  const haproxy: ChildProcess = spawn(program, ["-f", file, "-db"], { stdio: "ignore" });
  const exited = new Promise((resolve) => haproxy.once("exit", resolve));
  const states = async () => {
    const response = await fetch(`http://127.0.0.1:${statsPort}/stats;csv`).catch(() => undefined);
    return (await response?.text()) ?? "";
  };
  const isUp = async (server: number) => new RegExp(`^nodes,node${server},.*,UP,`, "m").test(await states());
  await until(async () => (await Promise.all(ports.map(isUp))).every(Boolean));
  return {
    port,
    untilUsed: (server, isUsed) => until(async () => (await isUp(server)) === isUsed).then(() => undefined),
    async close() {
      haproxy.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
