import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { NODE_VERSIONS, PUBLISH_CONFIG, repositoryOf } from "./publication.ts";
import { modulesOf, NOTICES_FILE, noticesOf } from "./thirdParty.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "packages/create-purse-app");
const FOLDER = join(ROOT, ".cache/packages/create-purse-app");

/** Builds the package behind `npm create purse-app`: one bundle without dependencies, and the starters. Returns its folder. */
export async function buildCreatePackage(): Promise<string> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const bundle = await rolldown({
    input: join(SOURCE, "src/main.ts"),
    platform: "node",
    external: (id) => isBuiltin(id),
  });
  const { output } = await bundle.write({ file: join(FOLDER, "dist/main.js"), format: "esm", minify: true });
  await bundle.close();
  writeFileSync(join(FOLDER, "dist", NOTICES_FILE), noticesOf(modulesOf(output)));
  for (const folder of ["bin", "templates"])
    cpSync(join(SOURCE, folder), join(FOLDER, folder), { recursive: true });
  copyFileSync(join(SOURCE, "README.md"), join(FOLDER, "README.md"));
  copyFileSync(join(ROOT, "LICENSE"), join(FOLDER, "LICENSE"));
  const {
    private: _,
    devDependencies: __,
    exports: ___,
    ...manifest
  } = JSON.parse(readFileSync(join(SOURCE, "package.json"), "utf8"));
  const published = {
    ...manifest,
    ...repositoryOf("packages/create-purse-app"),
    engines: NODE_VERSIONS,
    files: ["bin", "dist", "templates"],
    publishConfig: PUBLISH_CONFIG,
  };
  writeFileSync(join(FOLDER, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  return FOLDER;
}
