import { connect, createServer, type Socket } from "node:net";

/** A fault for a COMMIT. */
export type CommitFault =
  /** The server commits, and its response is lost together with the connection. */
  | "loseResponse"
  /** The connection is lost before the server receives the COMMIT. */
  | "loseRequest"
  /** The client loses the connection; the server receives the COMMIT right after the next query of another one. */
  | "deliverLate"
  /** The client is frozen: the COMMIT is not forwarded, and no connection is closed. */
  | "freeze";

/** A proxy to PostgreSQL that injects faults. */
export interface PostgresProxy {
  port: number;
  /** The same URL through the proxy. */
  url(target: string): string;
  /** Called at every COMMIT; returns its fault. */
  onCommit(fault: (() => CommitFault | undefined) | undefined): void;
  /** Number of lost COMMITs. */
  readonly lost: number;
  /** Number of accepted connections. */
  readonly accepted: number;
  /** Forwards nothing any more, and closes no connection: as behind a broken router. */
  freeze(): void;
  /** Undoes `freeze` for new connections; frozen ones stay frozen. */
  thaw(): void;
  /** Forwards everything in both directions this much later, in ms. */
  delay(ms: number): void;
  /** Breaks all connections, and rejects new ones until `restore`. */
  break(): void;
  restore(): void;
  /** Forwards new connections to another server. */
  redirectTo(port: number): void;
  close(): Promise<void>;
}

/** The COMMIT message: Query, its length, its text. */
const COMMIT = Buffer.from("Q\0\0\0\x0bCOMMIT\0", "latin1");

/** Whether it is a Query or a Parse, not the start of a session. */
const isQuery = (data: Buffer) => data[0] === 0x51 || data[0] === 0x50;

interface Pair {
  client: Socket;
  server: Socket;
  isFrozen: boolean;
}

export async function startPostgresProxy(target: string | number): Promise<PostgresProxy> {
  const host = typeof target === "number" ? "127.0.0.1" : new URL(target).hostname;
  let targetPort = typeof target === "number" ? target : Number(new URL(target).port);
  let faultOf: (() => CommitFault | undefined) | undefined;
  let lost = 0;
  let accepted = 0;
  let isBroken = false;
  let isFrozen = false;
  let delayMs = 0;
  /** Deliver what is late. */
  const late = new Set<() => void>();
  const pairs = new Set<Pair>();

  const listener = createServer((client) => {
    accepted += 1;
    if (isBroken) return void client.destroy();
    const server = connect(targetPort, host);
    const pair: Pair = { client, server, isFrozen };
    const delayed: Record<"client" | "server", Buffer[]> = { client: [], server: [] };
    const forward = (to: "client" | "server", data: Buffer): void => {
      if (delayMs === 0 && delayed[to].length === 0) return void pair[to].write(data);
      delayed[to].push(data);
      setTimeout(() => {
        const next = delayed[to].shift();
        if (next) pair[to].write(next);
      }, delayMs);
    };
    pairs.add(pair);
    let losesCommit = false;
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        if (!pair.isFrozen && !losesCommit) end();
      });
    }
    client.on("data", (data: Buffer) => {
      if (pair.isFrozen) return;
      const fault = data.indexOf(COMMIT) >= 0 ? faultOf?.() : undefined;
      if (fault === undefined) {
        forward("server", data);
        if (!isQuery(data)) return;
        for (const deliver of late) deliver();
        return late.clear();
      }
      lost += 1;
      if (fault === "loseRequest") return end();
      if (fault === "freeze") {
        pair.isFrozen = true;
        return;
      }
      losesCommit = true;
      if (fault === "loseResponse") return forward("server", data);
      client.destroy();
      late.add(() => forward("server", data));
    });
    server.on("data", (data: Buffer) => {
      if (pair.isFrozen) return;
      if (!losesCommit) return forward("client", data);
      // The server has committed; its response is dropped.
      end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const breakAll = (): void => {
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
    pairs.clear();
    late.clear();
  };
  return {
    port,
    url(target) {
      const url = new URL(target);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    onCommit(fault) {
      faultOf = fault;
    },
    get lost() {
      return lost;
    },
    get accepted() {
      return accepted;
    },
    freeze() {
      isFrozen = true;
      for (const pair of pairs) pair.isFrozen = true;
    },
    thaw() {
      isFrozen = false;
    },
    delay(ms) {
      delayMs = ms;
    },
    break() {
      isBroken = true;
      breakAll();
    },
    restore() {
      isBroken = false;
    },
    redirectTo(to) {
      targetPort = to;
    },
    close: () =>
      new Promise((resolve) => {
        breakAll();
        listener.close(() => resolve());
      }),
  };
}
