/*
 * `npm run packages`: makes all packages ready to be published, each a folder below .cache with its own package.json,
 * and packs them into `.cache/tarballs`, from which they can be installed. `npm run packages -- purse` makes the folder of
 * the `purse` command only. `-- --no-check` leaves the check of types to `npm run check`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { buildCommandPackage } from "./packages/commandPackage.ts";
import { buildCreatePackage } from "./packages/createPackage.ts";
import { buildModulePackages } from "./packages/modulePackages.ts";
import { inTurnAsync } from "./turn.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const TARBALLS = join(ROOT, ".cache/tarballs");

await inTurnAsync(join(ROOT, ".cache/locks/packages"), async () => {
  if (process.argv[2] === "purse") return announce(await buildCommandPackage());
  const checksTypes = !process.argv.includes("--no-check");
  const folders = [
    ...(await buildModulePackages({ checksTypes })),
    await buildCreatePackage(),
    await buildCommandPackage(),
  ];
  rmSync(TARBALLS, { recursive: true, force: true });
  mkdirSync(TARBALLS, { recursive: true });
  execFileSync("npm", ["pack", "--silent", "--pack-destination", TARBALLS, ...folders], { cwd: ROOT });
  folders.forEach(announce);
  console.log(`${relative(ROOT, TARBALLS)}: packed`);
});

function announce(folder: string): void {
  console.log(`${relative(ROOT, folder)}: ready for npm publish`);
}
