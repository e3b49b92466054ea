import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../src/configuration.ts";
import { createLogger } from "../src/core/logger.ts";
import { createServer } from "../src/server.ts";

/** A whole server in the process of a test, without a chain, on a free port. */
export interface InProcessServer {
  url: string;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** Starts a server of the application `test` in a folder of its own, with these settings. */
export async function startInProcess(env: Record<string, string>): Promise<InProcessServer> {
  const folder = await mkdtemp(join(tmpdir(), "purse-in-process-"));
  const settings = { PURSE_DATA_DIR: folder, PURSE_PORT: "0", PURSE_APP_ID: "test", ...env };
  const config = await loadConfig({ argv: [], env: settings, cwd: folder });
  const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
  const server = await createServer(config, { logger, chains: [] });
  await server.start();
  return {
    url: server.url,
    async remove() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
