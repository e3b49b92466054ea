/* The packed packages in `.cache/tarballs`, which `ensurePackagesBuilt` writes. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { tarballs } from "../build.mjs";

const ROOT = resolve(import.meta.dirname, "../..");

/** The file of a packed package, such as "@purse/client". */
export function tarballOf(name: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return join(tarballs, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
}

/** Unpacks a package into a folder, where its dependencies must be found. */
export function unpack(name: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", tarballOf(name), "--strip-components=1", "-C", folder]);
}
