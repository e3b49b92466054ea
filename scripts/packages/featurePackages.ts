/*
 * The packages of optional features: each brings the libraries that only this feature of the server uses. The published
 * server imports them through it (`@purse/images/sharp`), so that their versions are those of the server and are found
 * with every package manager. Inside the workspace the libraries are dependencies of the server itself.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { FeaturePackage } from "@purse/server";
import { NODE_VERSIONS, PUBLISH_CONFIG, repositoryOf } from "./publication.ts";

const ROOT = resolve(import.meta.dirname, "../..");

type Dependencies = Readonly<Record<string, string>>;

const FEATURES: Readonly<Record<FeaturePackage, { about: string; libraries: readonly string[] }>> = {
  "@purse/clickhouse": { about: "chain indexes in ClickHouse", libraries: ["@clickhouse/client"] },
  "@purse/graphql": {
    about: "the GraphQL API",
    libraries: ["graphql", "graphql-relay", "graphql-ws", "pluralize"],
  },
  "@purse/images": { about: "images in other sizes and formats", libraries: ["sharp"] },
  "@purse/ipfs": {
    about: "content in IPFS",
    libraries: ["@ipld/dag-pb", "blockstore-fs", "ipfs-unixfs-exporter", "ipfs-unixfs-importer"],
  },
  "@purse/mcp": {
    about: "the MCP endpoint for AI tools",
    libraries: ["@modelcontextprotocol/sdk", "minisearch"],
  },
  "@purse/s3": {
    about: "files and backups in S3",
    libraries: ["@aws-sdk/client-s3", "@aws-sdk/lib-storage"],
  },
  "@purse/tracing": {
    about: "the export of traces",
    libraries: [
      "@opentelemetry/api",
      "@opentelemetry/context-async-hooks",
      "@opentelemetry/core",
      "@opentelemetry/exporter-trace-otlp-http",
      "@opentelemetry/exporter-trace-otlp-proto",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace-base",
    ],
  },
  "@purse/valkey": { about: "Valkey and Redis", libraries: ["@redis/client"] },
};

/** The names of the packages. */
export const FEATURE_PACKAGES = Object.keys(FEATURES);

const OWNERS: ReadonlyMap<string, string> = new Map(
  Object.entries(FEATURES).flatMap(([name, { libraries }]) => libraries.map((library) => [library, name])),
);

/** An import, static, dynamic or of types, of what may be a library. */
const IMPORT = /(\bfrom |\bimport\(|\bimport )"((?:@[^/"]+\/)?[^./"@][^/"]*)((?:\/[^"]+)?)"/g;

/**
 * Points the imports of compiled modules below `dist` at the packages of features. Returns what they import of each, such
 * as "@purse/ipfs" → "ipfs-unixfs-importer/chunker".
 */
export function importFeaturePackages(dist: string): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!/\.(js|d\.ts)$/.test(file)) continue;
    const path = join(dist, file);
    const text = readFileSync(path, "utf8");
    const rewritten = text.replace(IMPORT, (all, before: string, library: string, subpath: string) => {
      const owner = OWNERS.get(library);
      if (owner === undefined) return all;
      const imported = used.get(owner) ?? new Set();
      used.set(owner, imported.add(library + subpath));
      return `${before}"${owner}/${library}${subpath}"`;
    });
    if (rewritten !== text) writeFileSync(path, rewritten);
  }
  return used;
}

/** Splits the dependencies of a package into those of the published one, and the packages of features in the place of others. */
export function splitDependencies(dependencies: Dependencies): {
  kept: Dependencies;
  features: readonly string[];
} {
  const names = Object.keys(dependencies);
  // What is used of viem is in the packages themselves.
  const isKept = (name: string) => !OWNERS.has(name) && name !== "viem";
  return {
    kept: Object.fromEntries(Object.entries(dependencies).filter(([name]) => isKept(name))),
    features: [...new Set(names.flatMap((name) => OWNERS.get(name) ?? []))].sort(),
  };
}

/**
 * Writes the packages of features into folders of their names. Returns the folders. `used` is what the server and others
 * import of each, `dependencies` are the versions of their libraries.
 */
export async function writeFeaturePackages(
  built: string,
  used: ReadonlyMap<string, ReadonlySet<string>>,
  { version, dependencies }: { version: string; dependencies: Dependencies },
): Promise<string[]> {
  return Promise.all(
    Object.entries(FEATURES).map(async ([name, { about, libraries }]) => {
      const folder = join(built, name.slice("@purse/".length));
      rmSync(folder, { recursive: true, force: true });
      for (const specifier of used.get(name) ?? []) await writeReexport(join(folder, "dist"), specifier);
      const manifest = {
        name,
        version,
        description: `The libraries of @purse/server for ${about}.`,
        license: "Apache-2.0",
        type: "module",
        ...repositoryOf("packages/server"),
        engines: NODE_VERSIONS,
        files: ["dist"],
        sideEffects: false,
        exports: {
          "./package.json": "./package.json",
          "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" },
        },
        dependencies: Object.fromEntries(
          libraries.map((library) => [library, versionOf(library, dependencies)]),
        ),
        publishConfig: PUBLISH_CONFIG,
      };
      const readme = `# ${name}\n\nThe libraries of @purse/server for ${about}. It has no API of its own: install it beside the server of the same version.\n\n\`\`\`sh\nnpm install ${name}\n\`\`\`\n`;
      writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
      writeFileSync(join(folder, "README.md"), readme);
      copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
      return folder;
    }),
  );
}

async function writeReexport(dist: string, specifier: string): Promise<void> {
  const module: object = await import(specifier);
  const lines = [`export * from "${specifier}";`];
  // That of a module with this mark is only what Node.js makes of CommonJS.
  if ("default" in module && !("__esModule" in module)) lines.push(`export { default } from "${specifier}";`);
  const path = join(dist, specifier);
  mkdirSync(dirname(path), { recursive: true });
  for (const extension of [".js", ".d.ts"]) writeFileSync(path + extension, `${lines.join("\n")}\n`);
}

function versionOf(library: string, dependencies: Dependencies): string {
  const version = dependencies[library];
  if (version === undefined)
    throw new Error(`${library} is no dependency of the server or the chain package`);
  return version;
}
