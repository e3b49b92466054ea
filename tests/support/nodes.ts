import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createServer, loadConfig, type PurseServer, type ServerOptions } from "@purse/server";
import { freePort } from "./freePort.ts";

/** Servers of one application in the process of the test, which start faster than processes. */
export interface Nodes {
  urls: string[];
  ports: number[];
  /** The lines that all of them have logged, from the level `info`. */
  log: string[];
  remove(): Promise<void>;
}

export const APP_ID = "test-app";
export const MASTER_KEY = "test-master-key";

/** Starts servers on one database. */
export async function startNodes(
  count: number,
  env: Record<string, string>,
  chains: ServerOptions["chains"] = [],
): Promise<Nodes> {
  const folder = mkdtempSync(join(tmpdir(), "purse-nodes-"));
  const log: string[] = [];
  const logger = createLogger({ level: "info", format: "text", write: (line) => log.push(line) });
  const servers: PurseServer[] = [];
  const ports: number[] = [];
  for (let i = 0; i < count; i++) {
    const port = await freePort();
    const settings = {
      PURSE_DATA_DIR: join(folder, String(i)),
      PURSE_PORT: String(port),
      PURSE_APP_ID: APP_ID,
      PURSE_FILES_SHARED: "1",
      PURSE_MASTER_KEY: MASTER_KEY,
      ...env,
    };
    const config = await loadConfig({ argv: [], env: settings, cwd: folder });
    const server = await createServer(config, { logger, chains });
    await server.start();
    servers.push(server);
    ports.push(port);
  }
  return {
    urls: servers.map(({ url }) => url),
    ports,
    log,
    async remove() {
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends a request to the Parse API of a server on a connection of its own. */
export async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/server${path}`, {
    method,
    headers: {
      "X-Parse-Application-Id": APP_ID,
      "Content-Type": "application/json",
      Connection: "close",
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
