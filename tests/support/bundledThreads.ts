import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "vitest/config";

/** The bundled server, which the global setup builds when its sources have changed. */
const BUNDLE = resolve(import.meta.dirname, "../../.cache/server");
/** A file that is spawned as a thread or a process, as in `scripts/buildServer.mjs`. */
const SPAWNED_FILE = /new URL\("(\.\/[^"]+)\.ts", import\.meta\.url\)/g;

/**
 * Starts the bundled threads and processes of the server, as production does, in a fifth of the CPU time of their sources,
 * which consist of hundreds of modules.
 */
export function bundledThreads(): Plugin {
  return {
    name: "bundled-threads",
    enforce: "pre",
    configureVitest({ defineCacheKeyGenerator }) {
      // What these become depends on what has been bundled.
      defineCacheKeyGenerator(({ id, sourceCode }) => (spawnsFiles(id, sourceCode) ? false : undefined));
    },
    transform(code, id) {
      if (!spawnsFiles(id, code)) return null;
      return code.replaceAll(SPAWNED_FILE, (found: string, path: string) => {
        const file = join(BUNDLE, `${basename(path)}.js`);
        return existsSync(file) ? `new URL(${JSON.stringify(pathToFileURL(file).href)})` : found;
      });
    },
  };
}

function spawnsFiles(id: string, code: string): boolean {
  return /\/packages\/(chain|server)\/src\//.test(id) && code.includes("import.meta.url");
}
