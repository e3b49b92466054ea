import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/loadConfig.ts";
import { hostText } from "./httpContext.ts";
import { MOUNT_PATH } from "./paths.ts";

/** How long open requests may continue when the server stops, in ms. */
const FORCE_CLOSE_MS = 5_000;

export interface HttpServer {
  /** The base URL, such as `http://127.0.0.1:1337`; empty before `listen`. */
  readonly url: string;
  listen(): Promise<void>;
  /** Accepts no more connections and closes idle ones. */
  close(): void;
  /** Resolves once all open requests have ended, or have been aborted because they took too long. */
  drained(): Promise<void>;
}

/** Creates the HTTP server. WebSockets of live queries connect to the path of the Parse API or to the root path. */
export function createHttpServer(
  { host, port }: Pick<Config, "host" | "port">,
  app: FastifyInstance,
  upgrade: (message: IncomingMessage, socket: Duplex, head: Buffer) => void,
): HttpServer {
  const { server } = app;
  server.on("upgrade", (message, socket, head) => {
    const [path = ""] = (message.url ?? "").split("?", 1);
    // Clients with a separate live query URL connect to the root path.
    if (["", MOUNT_PATH].includes(path.replace(/\/+$/, ""))) upgrade(message, socket, head);
    else socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  let url = "";
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= app.close();
    return closed;
  };
  return {
    get url() {
      return url;
    },
    async listen() {
      await app.listen({ host, port });
      url = `http://${hostText(host)}:${(server.address() as AddressInfo).port}`;
    },
    close: () => void close(),
    async drained() {
      if (url === "") return;
      const forceCloseTimer = setTimeout(() => server.closeAllConnections(), FORCE_CLOSE_MS);
      await close();
      clearTimeout(forceCloseTimer);
    },
  };
}
