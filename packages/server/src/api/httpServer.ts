import { type AddressInfo, Server } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/loadConfig.ts";
import { publishRoutes } from "../core/http/routeChannel.ts";
import type { ModuleSockets } from "../module/moduleContributions.ts";
import { LIVE_QUERY_PATHS } from "./distinctRoutes.ts";
import { hostText } from "./httpContext.ts";
import type { RequestTurns } from "./requestTurns.ts";

/** How long open requests may continue when the server stops, in ms. */
const FORCE_CLOSE_MS = 5_000;

export interface HttpServer {
  /** The base URL, such as `http://127.0.0.1:1337`; empty before `listen`. */
  readonly url: string;
  listen(): Promise<void>;
  /**
   * Accepts no more connections. Resolves once those that are open have ended, or after `timeoutMs`. Idle ones are closed
   * after `idleMs`, so that no request is lost that is already on its way.
   */
  finishConnections(options: { timeoutMs: number; idleMs: number }): Promise<void>;
  /** Accepts no more connections and closes idle ones. */
  close(): void;
  /** Resolves once all open requests have ended, or have been aborted because they took too long. */
  drained(): Promise<void>;
}

type Upgrade = ModuleSockets["upgrade"];

export interface Upgrades {
  turns: RequestTurns;
  /** Live queries: at the path of the Parse API or the root path; undefined if they are refused. */
  live?: Upgrade | undefined;
  /** Those of modules. */
  ofModules?: readonly ModuleSockets[];
}

/** Creates the HTTP server, with the WebSockets of live queries and of modules. */
export function createHttpServer(
  { host, port }: Pick<Config, "host" | "port">,
  app: FastifyInstance,
  upgrades: Upgrades,
): HttpServer {
  const { server } = app;
  const upgradesByPath = new Map([
    ...pathsOf(upgrades.live, LIVE_QUERY_PATHS),
    ...(upgrades.ofModules ?? []).map(({ path, upgrade }): [string, Upgrade] => [path, upgrade]),
  ]);
  publishRoutes(
    "",
    [...upgradesByPath.keys()].map((path) => ({ method: "UPGRADE", path: path || "/" })),
  );
  server.on("upgrade", (message, socket, head) => {
    const [path = ""] = (message.url ?? "").split("?", 1);
    const upgrade = upgradesByPath.get(path.replace(/\/+$/, ""));
    upgrades.turns.upgrade(message, socket, () => {
      if (upgrade) upgrade(message, socket, head);
      else socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    });
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
    async finishConnections({ timeoutMs, idleMs }) {
      if (!server.listening) return;
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs);
      });
      // That of an HTTP server would also close idle connections at once.
      const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
      const maxIdleMs = Math.min(idleMs, timeoutMs);
      const idleTimer = setTimeout(() => server.closeIdleConnections(), maxIdleMs);
      // Of connections that become idle later; 0 would mean no limit.
      server.keepAliveTimeout = Math.max(1, maxIdleMs);
      await Promise.race([closed, timeout]);
      clearTimeout(timer);
      clearTimeout(idleTimer);
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

function pathsOf(upgrade: Upgrade | undefined, paths: readonly string[]): [string, Upgrade][] {
  return upgrade ? paths.map((path) => [path, upgrade]) : [];
}
