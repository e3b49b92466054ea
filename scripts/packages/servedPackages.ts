/*
 * What a server hands out below `/packages`: the packages for apps and the client as a module for pages without a build, and
 * the `purse` command. Each part is a folder with an `index.json` that lists its files.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { buildCommandPackage } from "./commandPackage.ts";
import { buildCreatePackage } from "./createPackage.ts";
import { buildModulePackages } from "./modulePackages.ts";
import { modulesOf, NOTICES_FILE, noticesOf } from "./thirdParty.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVED = join(ROOT, ".cache/served");
const ENTRY = "client.js";
const APP_PACKAGES = ["protocol", "client", "react", "moralis", "create-purse-app"];
/** The folder of the packages for apps. */
export const servedApps = join(SERVED, "apps");

/** Builds the packages for apps. Returns their folder. */
export async function buildServedApps(): Promise<string> {
  await buildModulePackages({ checksTypes: false, isForApps: true });
  await buildCreatePackage();
  return packServedApps();
}

/** Packs the packages for apps, which are built. Returns their folder. */
export function packServedApps(): Promise<string> {
  const folders = APP_PACKAGES.map((name) => join(ROOT, ".cache/packages", name));
  return servedFolder("apps", folders, bundleClient);
}

/** Builds the package of the `purse` command, with the packages for apps of `servedApps`. Returns its folder. */
export async function buildServedCommand(servedApps: string): Promise<string> {
  return servedFolder("command", [await buildCommandPackage(servedApps)], async () => []);
}

/** Packs packages into the folder of a part, which replaces the earlier one when it is complete. */
async function servedFolder(
  part: string,
  packages: readonly string[],
  addModules: (folder: string) => Promise<string[]>,
): Promise<string> {
  const folder = join(SERVED, part);
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  execFileSync("npm", ["pack", "--silent", "--pack-destination", unfinished, ...packages], { cwd: ROOT });
  const files = packages.map((source) => {
    const { name, version }: { name: string; version: string } = JSON.parse(
      readFileSync(join(source, "package.json"), "utf8"),
    );
    const file = `${name.replace("@purse/", "")}.tgz`;
    renameSync(
      join(unfinished, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`),
      join(unfinished, file),
    );
    return { file, name, version };
  });
  const index = {
    version: files[0]?.version ?? "",
    packages: Object.fromEntries(files.map(({ file, name }) => [file, name])),
    modules: await addModules(unfinished),
  };
  writeFileSync(join(unfinished, "index.json"), `${JSON.stringify(index, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
  return folder;
}

/** Bundles the client for pages without a build; what it loads later are files of their own. Returns all files. */
async function bundleClient(folder: string): Promise<string[]> {
  const bundle = await rolldown({
    input: { client: join(ROOT, ".cache/packages/client/dist/index.js") },
    cwd: ROOT,
    platform: "browser",
    // Optional libraries are what the page says (import maps).
    external: ["@walletconnect/ethereum-provider", "@web3auth/modal", "magic-sdk", "ethers"],
    resolve: { alias: { "@purse/protocol": join(ROOT, ".cache/packages/protocol/dist/index.js") } },
    transform: { target: "es2022" },
    logLevel: "silent",
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  });
  await bundle.close();
  const chunks = output.map(({ fileName }) => fileName).filter((name) => name !== ENTRY);
  const viemNotices = readFileSync(join(ROOT, ".cache/packages/client/dist/viem", NOTICES_FILE), "utf8");
  writeFileSync(join(folder, NOTICES_FILE), `${noticesOf(modulesOf(output))}\n${viemNotices}`);
  return [ENTRY, ...chunks.sort(), NOTICES_FILE];
}
