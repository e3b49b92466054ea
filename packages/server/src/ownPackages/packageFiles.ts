import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@purse/protocol";
import { z } from "zod";
import type { PackagePart, PackageSource } from "./packageSource.ts";
import { withManifest } from "./tarManifest.ts";

/** What the build writes to `index.json`. */
const INDEX = z.strictObject({
  version: z.string(),
  /** The names of packages by their files, such as `client.tgz`. */
  packages: z.record(z.string(), z.string()),
  /** The files of the client for pages without a build; the first is the entry. */
  modules: z.array(z.string()),
});

interface OpenPart {
  folder: string;
  index: z.output<typeof INDEX>;
}

export interface PackageFile {
  /** The path of a file that does not depend on the base URL. */
  content: Buffer | { path: string };
  size: number;
  /** As package managers store it: `sha512-…`. */
  integrity: string;
  type: string;
  /** Whether the name contains a hash of the content. */
  isHashed: boolean;
}

export interface PackageListing {
  version: string;
  packages: { name: string; url: string; size: number; integrity: string }[];
  modules: { url: string; size: number; integrity: string }[];
}

/** The packages of each part, by their files. */
const PART_OF: Readonly<Record<string, PackagePart>> = {
  "protocol.tgz": "apps",
  "client.tgz": "apps",
  "react.tgz": "apps",
  "moralis.tgz": "apps",
  "create-purse-app.tgz": "apps",
  "purse.tgz": "command",
};
const ENTRY = "client.js";
/** Parts of the client that it loads when they are needed. */
/** The notices of the libraries in the modules. */
const NOTICES = "third-party-notices.txt";
const CHUNK = /^chunks\/[\w.-]+-[\w-]{8}\.js$/;
/** Base URLs whose files are kept in memory. */
const MAX_BASES = 4;

/**
 * The packages of this server's version as files. Manifests name the other packages by their URLs on this server, so that
 * they are installed from here as well.
 */
export class PackageFiles {
  readonly #source: PackageSource;
  readonly #opened = new Map<PackagePart, Promise<OpenPart>>();
  /** By base URL and name, in the order of their last use. */
  readonly #files = new Map<string, Map<string, Promise<PackageFile>>>();

  constructor(source: PackageSource) {
    this.#source = source;
  }

  /** The names of the files to install, and of the entry of the client. */
  get names(): string[] {
    return [...Object.keys(PART_OF), ENTRY];
  }

  /**
   * Returns a file for clients that know the server by this base URL; undefined if there is none of this name. Rejects with
   * PackagesUnavailableError if the packages are not available.
   */
  async find(name: string, baseUrl: string): Promise<PackageFile | undefined> {
    const part = Object.hasOwn(PART_OF, name) ? PART_OF[name] : undefined;
    if (part === undefined && name !== ENTRY && name !== NOTICES && !CHUNK.test(name)) return undefined;
    const opened = await this.#open(part ?? "apps");
    if (part === undefined && !opened.index.modules.includes(name)) return undefined;
    return this.#cached(name, baseUrl, () =>
      part === undefined ? readModule(opened, name) : readPackage(opened, name, baseUrl),
    );
  }

  async list(baseUrl: string): Promise<PackageListing> {
    const { index } = await this.#open("apps");
    const entries = async (names: readonly string[]) =>
      Promise.all(
        names.map(async (name) => {
          const file = await this.find(name, baseUrl);
          if (!file) throw new Error(`${name} is missing`);
          const { size, integrity } = file;
          return { url: `${baseUrl}/${name}`, size, integrity };
        }),
      );
    const packages = { ...index.packages, ...(await this.#open("command")).index.packages };
    const files = await entries(Object.keys(packages));
    return {
      version: index.version,
      packages: Object.values(packages).flatMap((name, i) => (files[i] ? [{ name, ...files[i] }] : [])),
      modules: await entries(index.modules),
    };
  }

  /** Opened once; after a failure, the next request tries again. */
  #open(part: PackagePart): Promise<OpenPart> {
    const known = this.#opened.get(part);
    if (known) return known;
    const opening = openPart(this.#source, part);
    this.#opened.set(part, opening);
    opening.catch(() => this.#opened.delete(part));
    return opening;
  }

  #cached(name: string, baseUrl: string, read: () => Promise<PackageFile>): Promise<PackageFile> {
    const files = this.#files.get(baseUrl) ?? new Map<string, Promise<PackageFile>>();
    this.#files.delete(baseUrl);
    this.#files.set(baseUrl, files);
    const [oldest] = this.#files.keys();
    if (oldest !== undefined && this.#files.size > MAX_BASES) this.#files.delete(oldest);
    const known = files.get(name);
    if (known) return known;
    const reading = read();
    files.set(name, reading);
    reading.catch(() => files.delete(name));
    return reading;
  }
}

async function openPart(source: PackageSource, part: PackagePart): Promise<OpenPart> {
  const folder = await source.open(part);
  const index = INDEX.parse(JSON.parse(await readFile(join(folder, "index.json"), "utf8")));
  return { folder, index };
}

async function readModule({ folder }: OpenPart, name: string): Promise<PackageFile> {
  const content = await readFile(join(folder, name));
  const isHashed = CHUNK.test(name);
  const type = name === NOTICES ? "text/plain" : "text/javascript";
  return { ...bufferFile(content), type: `${type}; charset=utf-8`, isHashed };
}

/** Reads a packed package. In the manifest of one for apps, the other packages are named by their URLs. */
async function readPackage({ folder, index }: OpenPart, name: string, baseUrl: string): Promise<PackageFile> {
  const path = join(folder, name);
  const kind = { type: "application/octet-stream", isHashed: false };
  // It depends on none of the others, and is large.
  if (PART_OF[name] === "command") return { ...(await diskFile(path)), ...kind };
  const urls = new Map(Object.entries(index.packages).map(([file, own]) => [own, `${baseUrl}/${file}`]));
  const content = await withManifest(await readFile(path), (manifest) => ({
    ...manifest,
    ...(isRecord(manifest.dependencies) && {
      dependencies: Object.fromEntries(
        Object.entries(manifest.dependencies).map(([key, spec]) => [key, urls.get(key) ?? spec]),
      ),
    }),
    // Where create-purse-app finds the packages of the apps that it creates.
    purse: { packages: baseUrl },
  }));
  return { ...bufferFile(content), ...kind };
}

function bufferFile(content: Buffer) {
  const hash = createHash("sha512").update(content);
  return { content, size: content.length, integrity: integrityOf(hash) };
}

async function diskFile(path: string) {
  const hash = createHash("sha512");
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { content: { path }, size, integrity: integrityOf(hash) };
}

function integrityOf(hash: Hash): string {
  return `sha512-${hash.digest("base64")}`;
}
