import { connect, createServer, type Socket } from "node:net";

/** A way to a database that can be interrupted. */
export interface Connections {
  port: number;
  /** Breaks all connections, and rejects new ones until `restore`. */
  break(): void;
  restore(): void;
  /** Loses all packets of the present connections, without closing any. New ones are forwarded. */
  freeze(): void;
  close(): Promise<void>;
}

/** Forwards connections to a port of this machine. */
export async function forwardConnections(targetPort: number): Promise<Connections> {
  const open = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  let isBroken = false;
  const server = createServer((client) => {
    if (isBroken) {
      client.destroy();
      return;
    }
    const target = connect(targetPort, "127.0.0.1");
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        if (frozen.has(socket)) return;
        client.destroy();
        target.destroy();
      });
    }
    client.pipe(target).pipe(client);
  });
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    break() {
      isBroken = true;
      breakAll();
    },
    restore() {
      isBroken = false;
    },
    freeze() {
      for (const socket of open) {
        frozen.add(socket);
        socket.unpipe().resume();
      }
    },
    async close() {
      breakAll();
      await new Promise((closed) => server.close(closed));
    },
  };
}
