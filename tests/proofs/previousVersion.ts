/* Builds the server of another version of the repository, beside this one. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = resolve(import.meta.dirname, "../..");
const POSTGRES = "packages/server/src/database/postgres";
/** The migrations of the database; older commits have them in the second file. */
const MIGRATIONS = [`${POSTGRES}/migrations.ts`, `${POSTGRES}/layout.ts`];
const CHAIN_SCHEMA = "packages/chain/src/store/schema.ts";

export interface OtherVersion {
  commit: string;
  /** The built server. */
  serverFile: string;
}

/** The last release; if there is none, the last commit with other migrations or another version of chain indexes. */
export function findPreviousCommit(): string {
  const tags = git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname").split("\n");
  const [release] = tags.filter(
    (tag) => tag !== "" && git("rev-parse", `${tag}^{}`) !== git("rev-parse", "HEAD"),
  );
  if (release) return git("rev-parse", `${release}^{}`);
  const current = layoutIn((path) => readFileSync(join(ROOT, path), "utf8"));
  if (current === "") throw new Error("the migrations of this version were not found");
  const commits = git("log", "--first-parent", "--format=%H", "--", ...MIGRATIONS, CHAIN_SCHEMA).split("\n");
  for (const commit of commits.flatMap((each) => [each, `${each}^`])) {
    const layout = layoutIn((path) => git("show", `${commit}:${path}`));
    if (layout !== current) return git("rev-parse", commit);
  }
  throw new Error("no commit with another layout was found");
}

/** Whether a version writes chain indexes with partitions. */
export function knowsPartitions(commit: string): boolean {
  return git("show", `${commit}:${CHAIN_SCHEMA}`).includes("PARTITIONS_VERSION");
}

/** Returns a text that differs between layouts; empty if the files did not exist. */
function layoutIn(read: (path: string) => string): string {
  const firstOf = (paths: readonly string[]): string => {
    for (const path of paths) {
      try {
        return read(path);
      } catch {
        // The file has another name, or did not exist.
      }
    }
    return "";
  };
  const list = /MIGRATIONS[^=]*= \[\n([\s\S]*?)\n\];/.exec(firstOf(MIGRATIONS))?.[1];
  const version = /SCHEMA_VERSION = (\d+)/.exec(firstOf([CHAIN_SCHEMA]))?.[1];
  return list === undefined || version === undefined ? "" : `${list}\n${version}`;
}

/** Builds the server of a commit in a folder of its own, with the same modules where they are the same. */
export function buildVersion(revision: string): OtherVersion {
  const commit = git("rev-parse", `${revision}^{commit}`);
  const folder = join(ROOT, ".cache/versions", commit.slice(0, 12));
  if (!existsSync(folder)) {
    const unpacked = `${folder}.new`;
    rmSync(unpacked, { recursive: true, force: true });
    mkdirSync(unpacked, { recursive: true });
    const archive = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 1e9 });
    execFileSync("tar", ["-x", "-C", unpacked], { input: archive });
    installModules(unpacked);
    renameSync(unpacked, folder);
  }
  const module = pathToFileURL(join(folder, "scripts/build.mjs")).href;
  const code = `const build = await import(${JSON.stringify(module)}); build.ensureServerBuilt(); console.log("\\n" + build.serverFile);`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const serverFile = stdout.trim().split("\n").at(-1) ?? "";
  if (status !== 0 || !existsSync(serverFile)) throw new Error(`the version ${commit} could not be built`);
  return { commit, serverFile };
}

function installModules(folder: string): void {
  if (dependenciesIn(folder) === dependenciesIn(ROOT)) {
    linkModules(join(ROOT, "node_modules"), folder);
    return;
  }
  // As it installs itself: with its runtime, which no install script brings.
  const module = pathToFileURL(join(folder, "scripts/install.mjs")).href;
  const code = `const { ensureInstalled } = await import(${JSON.stringify(module)}); ensureInstalled();`;
  const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: folder,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("the packages of the previous version could not be installed");
}

/** The packages of the registry that a checkout locks. */
function dependenciesIn(folder: string): string {
  const { packages }: { packages: Record<string, { version?: string }> } = JSON.parse(
    readFileSync(join(folder, "package-lock.json"), "utf8"),
  );
  const locked = Object.entries(packages).filter(([path]) => path.includes("node_modules/"));
  return JSON.stringify(locked.map(([path, { version }]) => [path, version]));
}

/** Links to all modules of this checkout; those of its workspaces are the ones of the folder. */
function linkModules(from: string, folder: string): void {
  const to = join(folder, relative(ROOT, from));
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    if (name.startsWith("@") && !lstatSync(source).isSymbolicLink()) {
      linkModules(source, folder);
      continue;
    }
    const target = realpathSync(source);
    const inside = relative(ROOT, target);
    const isWorkspace = !inside.startsWith("..") && !inside.startsWith("node_modules");
    symlinkSync(isWorkspace ? join(folder, inside) : target, join(to, name));
  }
  // Modules that a workspace has in another version than the others.
  if (from !== join(ROOT, "node_modules")) return;
  for (const workspaces of ["packages", "apps"])
    for (const name of readdirSync(join(folder, workspaces))) {
      const own = join(ROOT, workspaces, name, "node_modules");
      if (existsSync(own)) linkModules(own, folder);
    }
}

function git(...args: string[]): string {
  return execFileSync("git", args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1e8,
    // Files that did not exist at a commit are expected.
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}
