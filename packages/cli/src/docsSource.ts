import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Config, type DocsSource, DocsUnavailableError, type Logger } from "@purse/server";

const ROOT = resolve(import.meta.dirname, "../../..");
/** In the `purse` package: the built site. */
const PACKED = join(ROOT, "site");
/** In the repository: the script that builds the site if its sources have changed, and where it puts it. */
const BUILD = join(ROOT, "scripts/docs.mjs");
const BUILT = join(ROOT, ".cache/docs");
/** How long a request waits, in ms: a site that is up to date takes a second. */
const PATIENCE_MS = 3_000;

/**
 * The documentation of this version. That of an installed server is in its package; a checkout builds it when it is requested
 * first, in development.
 */
export function docsSource(config: Pick<Config, "environment">, logger: Logger): DocsSource {
  if (existsSync(PACKED)) return { open: async () => PACKED };
  if (config.environment !== "development") {
    return {
      async open() {
        if (existsSync(join(BUILT, "index.html"))) return BUILT;
        throw new DocsUnavailableError("The documentation is not built: run npm run docs.");
      },
    };
  }
  let building: Promise<string> | undefined;
  return {
    open() {
      building ??= build(logger);
      // The next request tries again.
      building.catch(() => {
        building = undefined;
      });
      return Promise.race([building, sleep(PATIENCE_MS, undefined, { ref: false })]);
    },
  };
}

async function build(logger: Logger): Promise<string> {
  logger.info("the documentation is built for its first request since the start, if it has changed");
  try {
    await promisify(execFile)(process.execPath, [BUILD, "--if-changed"], { cwd: ROOT });
    return BUILT;
  } catch (error) {
    logger.error("the documentation could not be built", { error: String(error) });
    throw new DocsUnavailableError("The documentation could not be built. The log has the reason.");
  }
}
