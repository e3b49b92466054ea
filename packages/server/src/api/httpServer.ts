import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Config } from "../config/loadConfig.ts";
import { rememberPeerAddress } from "../core/http/clientAddress.ts";
import { hostText } from "./httpContext.ts";
import { closeIdleConnections } from "./idleConnections.ts";
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
  config: Config,
  app: (message: IncomingMessage, response: ServerResponse) => void,
  upgrade: (message: IncomingMessage, socket: Duplex, head: Buffer) => void,
): HttpServer {
  const { requestTimeoutMs } = config;
  const http = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(15_000, requestTimeoutMs),
      connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
    },
    (message, response) => {
      trackResponse(response);
      app(message, response);
    },
  );
  const trackResponse = closeIdleConnections(http, requestTimeoutMs);
  const closed = new Promise((resolve) => http.once("close", resolve));
  http.on("connection", rememberPeerAddress);
  http.on("upgrade", (message, socket, head) => {
    const [path = ""] = (message.url ?? "").split("?", 1);
    // Clients with a separate live query URL connect to the root path.
    if (["", MOUNT_PATH].includes(path.replace(/\/+$/, ""))) upgrade(message, socket, head);
    else socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  let url = "";
  return {
    get url() {
      return url;
    },
    async listen() {
      await new Promise<void>((resolve, reject) => {
        http.once("error", reject);
        http.listen(config.port, config.host, resolve);
      });
      url = `http://${hostText(config.host)}:${(http.address() as AddressInfo).port}`;
    },
    close() {
      http.close();
      http.closeIdleConnections();
    },
    async drained() {
      if (url === "") return;
      const forceCloseTimer = setTimeout(() => http.closeAllConnections(), FORCE_CLOSE_MS);
      await closed;
      clearTimeout(forceCloseTimer);
    },
  };
}
