import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { docsSite, ensureAppsBuilt, ensureDocsBuilt, ensureServerBuilt, serverFile } from "../build.mjs";
import { bundleServer } from "../buildServer.mjs";
import { NODE_VERSIONS, PUBLISH_CONFIG, repositoryOf } from "./publication.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDER = join(ROOT, ".cache/purse-package");

/** What a bundle does not contain: packages with native parts, and contracts that the local chain deploys. */
const DEPENDENCIES = [/^@node-rs\//, /^better-sqlite3$/, /^sharp$/, /^@foundry-rs\/anvil$/, /^@uniswap\//];

/**
 * Builds the package of the `purse` command: the server, the other commands and the apps, bundled. It is installed
 * without a build. `servedApps` is the folder of the packages that the server hands out. Returns its folder, in which the paths between the bundles and the other files are those of the project.
 */
export async function buildCommandPackage(servedApps: string): Promise<string> {
  ensureAppsBuilt();
  rmSync(FOLDER, { recursive: true, force: true });
  copyServer(join(FOLDER, "dist/server"));
  await bundleServer({
    programs: ["packages/cli/src/cli.ts"],
    dir: join(FOLDER, "dist/cli"),
    sourcemap: false,
  });
  for (const app of ["apps/web/dist", "apps/studio/dist", "packages/devchain/artifacts"]) {
    mkdirSync(join(FOLDER, app), { recursive: true });
    cpSync(join(ROOT, app), join(FOLDER, app), {
      recursive: true,
      filter: (file) => !file.endsWith(".map"),
    });
  }
  // AI tools search the pages for those who use or run a server.
  for (const folder of ["guide", "reference", "deploy", "migrate", "studio"])
    cpSync(join(ROOT, "docs", folder), join(FOLDER, "docs", folder), { recursive: true });
  ensureDocsBuilt();
  cpSync(docsSite, join(FOLDER, "site"), { recursive: true });
  // The server hands them out. The package itself is in none of them.
  cpSync(servedApps, join(FOLDER, "served/apps"), { recursive: true });
  cpSync(join(ROOT, "packages/cli/bin"), join(FOLDER, "bin"), { recursive: true });
  copyFileSync(join(ROOT, "packages/cli/README.md"), join(FOLDER, "README.md"));
  copyFileSync(join(ROOT, "LICENSE"), join(FOLDER, "LICENSE"));
  writeFileSync(join(FOLDER, "package.json"), `${JSON.stringify(commandManifest(), null, 2)}\n`);
  return FOLDER;
}

/** Copies the bundle of `npm start` without its source maps. */
function copyServer(folder: string): void {
  ensureServerBuilt();
  mkdirSync(folder, { recursive: true });
  const built = dirname(serverFile);
  for (const file of readdirSync(built)) {
    if (file.endsWith(".map")) continue;
    const code = readFileSync(join(built, file), "utf8");
    writeFileSync(join(folder, file), code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n"));
  }
}

function commandManifest(): object {
  const { private: _, exports: __, ...manifest } = readManifest("packages/cli");
  const dependencies = Object.entries({
    ...readManifest("packages/server").dependencies,
    ...readManifest("packages/devchain").dependencies,
  }).filter(([name]) => DEPENDENCIES.some((pattern) => pattern.test(name)));
  return {
    ...manifest,
    ...repositoryOf("packages/cli"),
    name: "purse",
    engines: NODE_VERSIONS,
    files: ["bin", "dist", "docs", "apps", "packages", "served", "site"],
    dependencies: Object.fromEntries(dependencies),
    publishConfig: PUBLISH_CONFIG,
  };
}

function readManifest(folder: string): Record<string, unknown> & { dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
}
