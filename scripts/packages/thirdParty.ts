/*
 * Which licenses packages of others may have, and the notices of those that a build contains. Without arguments: refuses packages of
 * the lock files whose license is not on the list.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

/** Identifiers of SPDX. All allow what is distributed to be under the project's own license. */
const ALLOWED = new Set([
  ...[
    "0BSD",
    "Apache-2.0",
    "BlueOak-1.0.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "Unlicense",
  ],
  // Icons of the site, and a parser that it is built with.
  ...["CC0-1.0", "Python-2.0"],
  // Files stay under it: fonts, and libraries that are not changed.
  ...["MPL-2.0", "OFL-1.1"],
]);

/** Packages under other licenses. No build contains them: they are packages of their own, which are installed beside it. */
const SEPARATE: readonly { names: RegExp; reason: string }[] = [
  { names: /^@uniswap\//, reason: "contracts that the local chain of development deploys" },
  { names: /^@img\/sharp-/, reason: "libvips, which is linked dynamically" },
];

/** Packages whose manifest does not name their license in today's form. */
const IN_OLD_FORM = new Map([
  ["busboy", "MIT"],
  ["dicer", "MIT"],
  ["humanize-number", "MIT"],
  ["memorystream", "MIT"],
  ["only", "MIT"],
  ["streamsearch", "MIT"],
]);

/** Those of what is distributed: the project, and the tools that build its site, parts of which the pages contain. */
const LOCK_FILES = ["package-lock.json", "scripts/docs/package-lock.json"];

/** The name of the file with the notices, in each build. */
export const NOTICES_FILE = "third-party-notices.txt";

interface Manifest {
  name: string;
  version: string;
  license?: string;
  homepage?: string;
}

/** Whether all licenses of an SPDX expression are allowed, or one of the alternatives. */
export function isAllowed(expression: string): boolean {
  return expression
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((alternative) => alternative.split(" AND ").every((license) => ALLOWED.has(license.trim())));
}

/** The packages of a lock file that the list refuses, as sentences. */
export function refusedPackages(lock: {
  packages: Record<string, { license?: string; version?: string; link?: boolean }>;
}): string[] {
  return Object.entries(lock.packages).flatMap(([path, { license, version, link }]) => {
    const name = /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (name === undefined || link || SEPARATE.some(({ names }) => names.test(name))) return [];
    const known = license ?? IN_OLD_FORM.get(name) ?? "no license";
    return isAllowed(known) ? [] : [`${name}@${version} has the license ${known}`];
  });
}

/** The paths of the modules in the files of a build. */
export function modulesOf(
  files: readonly { type: string; moduleIds?: readonly string[] }[],
): readonly string[] {
  return files.flatMap(({ moduleIds = [] }) => moduleIds);
}

/**
 * The notices of the packages that a build took modules from: `modules` are paths. Packages with the same text share it. Throws Error if
 * one of them may not be in a build.
 */
export function noticesOf(modules: readonly string[]): string {
  const homes = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const namesByText = new Map<string, string[]>();
  for (const home of homes) {
    const { name, version, license, homepage }: Manifest = JSON.parse(
      readFileSync(join(home, "package.json"), "utf8"),
    );
    if (!isAllowed(license ?? "")) throw new Error(`A build contains ${name}, whose license is ${license}`);
    const text = textsIn(home) || (homepage ?? "");
    const names = namesByText.get(text) ?? [];
    names.push(`${name} ${version} (${license})`);
    namesByText.set(text, names);
  }
  return [...namesByText]
    .map(([text, names]) => `${names.sort().join("\n")}\n\n${text}`)
    .sort()
    .join(`\n\n${"-".repeat(80)}\n\n`)
    .concat("\n");
}

/** The license and notices in the folder of a package. */
function textsIn(folder: string): string {
  return readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)(?![a-z])/i.test(file) && !file.endsWith(".js"))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim())
    .join("\n\n");
}

if (import.meta.main) {
  for (const file of LOCK_FILES) {
    const refused = refusedPackages(JSON.parse(readFileSync(join(ROOT, file), "utf8")));
    for (const sentence of refused)
      console.error(`${file}: ${sentence}, which is not allowed in scripts/packages/thirdParty.ts`);
    if (refused.length > 0) process.exitCode = 1;
  }
}
