import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { createLogger, createServer, loadConfig } from "@purse/server";

/** The OpenAPI document of the Parse API, from a server with the default settings: its routes describe themselves. */
export async function parseOpenApi(): Promise<JsonObject> {
  const folder = await mkdtemp(join(tmpdir(), "purse-reference-"));
  const config = await loadConfig({
    argv: [],
    env: { PURSE_DATA_DIR: folder, PURSE_PORT: "0" },
    cwd: folder,
  });
  const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
  const server = await createServer(config, { logger, chains: [] });
  try {
    await server.start();
    const response = await fetch(`${server.url}/server/openapi.json`);
    return JSON.parse(await response.text());
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
