import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { CreateError } from "./createError.ts";
import { DEFAULT_PORTS, type Ports } from "./ports.ts";
import { nameProblem, projectNameOf } from "./projectName.ts";
import { type Manifest, withPackedPackages, withServedPackages, withVersion } from "./purseVersions.ts";
import type { Starter } from "./starters.ts";

/** In the package and in the repository. */
const PACKAGE = resolve(import.meta.dirname, "..");
const TEMPLATES = join(PACKAGE, "templates");

/** The name of the project in the templates. */
const PLACEHOLDER = "my-purse-app";

/** Names that npm changes or leaves out when it packs a package. */
const RENAMED: Readonly<Record<string, string>> = { _gitignore: ".gitignore" };

export interface ProjectOptions {
  /** Created if it does not exist; its name is that of the project. */
  folder: string;
  starter: Starter;
  /** A folder with packed packages of Purse to use instead of those of the server or published ones. */
  packages?: string;
  ports: Ports;
}

/** Writes the files of a starter to an empty folder. Throws CreateError if the name or the folder is unsuitable. */
export async function createProject({ folder, starter, packages, ports }: ProjectOptions): Promise<void> {
  const problem = nameProblem(folder) ?? (await folderProblem(folder));
  if (problem) throw new CreateError(problem);
  const files = await starterFiles(starter);
  const name = projectNameOf(folder);
  const texts = new Map(
    [...files].map(([file, text]) => [file, withPorts(text.replaceAll(PLACEHOLDER, name), ports)]),
  );
  texts.set("package.json", await manifestOf(texts.get("package.json") ?? "{}", packages));
  for (const [file, text] of texts) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** Why a project cannot be created in a folder; undefined if it can. A repository without files is fine. */
export async function folderProblem(folder: string): Promise<string | undefined> {
  try {
    const files = (await readdir(folder)).filter((name) => name !== ".git");
    return files.length > 0 ? `${folder} is not empty` : undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR") return `${folder} is a file`;
    throw error;
  }
}

/** The version of this package, which is also that of Purse's other packages. */
export async function ownVersion(): Promise<string> {
  return (await ownManifest()).version;
}

interface OwnManifest {
  version: string;
  /** Where the server that has handed out this program has the other packages. */
  purse?: { packages: string };
}

async function ownManifest(): Promise<OwnManifest> {
  const manifest: OwnManifest = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
  return manifest;
}

/** The texts of a starter by their paths in the project. */
async function starterFiles({ folders }: Starter): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const name of folders) {
    const folder = join(TEMPLATES, name);
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, RENAMED[entry.name] ?? entry.name);
      files.set(relative(folder, path), await readFile(join(entry.parentPath, entry.name), "utf8"));
    }
  }
  return files;
}

function withPorts(text: string, { server, chain }: Ports): string {
  return text
    .replaceAll(`127.0.0.1:${DEFAULT_PORTS.server}`, `127.0.0.1:${server}`)
    .replaceAll(`127.0.0.1:${DEFAULT_PORTS.chain}`, `127.0.0.1:${chain}`)
    .replace(/^ {2}port: \d+,$/m, `  port: ${server},`)
    .replace(/^ {2}devChainPort: \d+,$/m, `  devChainPort: ${chain},`);
}

async function manifestOf(text: string, packages: string | undefined): Promise<string> {
  const { version, purse } = await ownManifest();
  const manifest: Manifest = JSON.parse(text);
  const changed =
    packages !== undefined
      ? withPackedPackages(manifest, packages, version)
      : purse !== undefined
        ? withServedPackages(manifest, purse.packages)
        : withVersion(manifest, version);
  return `${JSON.stringify(changed, null, 2)}\n`;
}
