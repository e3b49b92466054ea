/*
 * `npm run packages`: makes all packages ready to be published, each a folder below .cache with its own package.json,
 * and packs them into `.cache/tarballs`, from which they can be installed. `npm run packages -- purse` makes the folder of
 * the `purse` command only, `-- served` makes what a server hands out below `/packages`. `-- --no-check` leaves
 * the check of types to `npm run check`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { buildCommandPackage } from "./packages/commandPackage.ts";
import { buildCreatePackage } from "./packages/createPackage.ts";
import { buildModulePackages } from "./packages/modulePackages.ts";
import {
  buildServedApps,
  buildServedCommand,
  packServedApps,
  servedApps,
} from "./packages/servedPackages.ts";
import { inTurnAsync } from "./turn.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const TARBALLS = join(ROOT, ".cache/tarballs");

await inTurnAsync(join(ROOT, ".cache/locks/packages"), async () => {
  const [what, part] = process.argv.slice(2);
  if (what === "purse") return announce(await buildCommandPackage(await buildServedApps()));
  if (what === "served") {
    for (const each of part === undefined ? ["apps", "command"] : [part])
      announce(await buildServedPart(each));
    return;
  }
  const checksTypes = !process.argv.includes("--no-check");
  const folders = [
    ...(await buildModulePackages({ checksTypes })),
    await buildCreatePackage(),
    await buildCommandPackage(await packServedApps()),
  ];
  rmSync(TARBALLS, { recursive: true, force: true });
  mkdirSync(TARBALLS, { recursive: true });
  execFileSync("npm", ["pack", "--silent", "--pack-destination", TARBALLS, ...folders], { cwd: ROOT });
  folders.forEach(announce);
  console.log(`${relative(ROOT, TARBALLS)}: packed`);
});

async function buildServedPart(part: string): Promise<string> {
  if (part === "apps") return buildServedApps();
  if (part === "command") return buildServedCommand(servedApps);
  throw new Error("served takes apps or command");
}

function announce(folder: string): void {
  console.log(`${relative(ROOT, folder)}: ready for npm publish`);
}
