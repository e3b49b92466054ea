import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Config, type Logger, type PackageSource, PackagesUnavailableError } from "@purse/server";

const ROOT = resolve(import.meta.dirname, "../../..");
/** In the `purse` package: the packages for apps. */
const PACKED = join(ROOT, "served/apps");
/** In the repository: builds a part if its sources have changed, and prints its folder. */
const BUILD = join(ROOT, "scripts/servedPackages.mjs");

const run = promisify(execFile);

/**
 * The packages of this version that the server hands out. Those of an installed server are in its package, which is packed
 * again for others; a checkout builds them when they are requested, in development.
 */
export function packageSource(config: Pick<Config, "environment">, logger: Logger): PackageSource {
  const isInstalled = existsSync(PACKED);
  return {
    async open(part) {
      try {
        if (isInstalled) return part === "apps" ? PACKED : await packOwnPackage();
        const isBuilding = config.environment === "development";
        if (isBuilding) logger.info("packages are built for their first request since the start", { part });
        const args = [BUILD, part, ...(isBuilding ? [] : ["--if-built"])];
        const { stdout } = await run(process.execPath, args, { cwd: ROOT });
        const folder = stdout.trimEnd().split("\n").at(-1) ?? "";
        if (folder !== "") return folder;
      } catch (error) {
        logger.error("packages could not be built", { part, error: String(error) });
        throw new PackagesUnavailableError("The packages could not be built. The log has the reason.");
      }
      throw new PackagesUnavailableError("The packages are not built: run npm run packages -- served.");
    },
  };
}

/** Packs the installed `purse` package into a folder that is removed at the end of the process. */
async function packOwnPackage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "purse-package-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { name, version }: { name: string; version: string } = JSON.parse(
    await readFile(join(ROOT, "package.json"), "utf8"),
  );
  // On Windows, npm is a script.
  const shell = process.platform === "win32";
  await run("npm", ["pack", ROOT, "--silent", "--ignore-scripts", "--pack-destination", folder], { shell });
  await rename(join(folder, `${name}-${version}.tgz`), join(folder, `${name}.tgz`));
  const index = { version, packages: { [`${name}.tgz`]: name }, modules: [] };
  await writeFile(join(folder, "index.json"), JSON.stringify(index));
  return folder;
}
