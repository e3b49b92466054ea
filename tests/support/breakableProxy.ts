import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy that simulates network failures. */
export interface BreakableProxy {
  port: number;
  /** Breaks open connections; with `after`, once that many more bytes were sent to the server. */
  cut(after?: number): void;
  /** Drops the server's next response and breaks the connection. */
  dropNextResponse(): void;
  /** Breaks all connections, and rejects new ones until `restore`. */
  break(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function startBreakableProxy(target: () => number): Promise<BreakableProxy> {
  const open = new Set<Socket>();
  let isBroken = false;
  let dropsNextResponse = false;
  let remainingBytes = Number.POSITIVE_INFINITY;
  const cut = (): void => {
    remainingBytes = Number.POSITIVE_INFINITY;
    for (const socket of open) socket.destroy();
  };
  const server = createServer((client) => {
    if (isBroken) return void client.destroy();
    const upstream = connect(target(), "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (data) => {
      remainingBytes -= data.length;
      // The system delivers what it has taken, also after the end.
      if (remainingBytes <= 0) upstream.write(data, cut);
      else upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (!dropsNextResponse) return void client.write(data);
      dropsNextResponse = false;
      client.destroy();
    });
    upstream.on("end", () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    cut(after) {
      if (after === undefined) cut();
      else remainingBytes = after;
    },
    dropNextResponse() {
      dropsNextResponse = true;
    },
    break() {
      isBroken = true;
      cut();
    },
    restore() {
      isBroken = false;
    },
    close: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}
