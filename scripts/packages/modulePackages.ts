/*
 * The packages that applications import: each a folder below .cache with compiled modules and its own package.json.
 * Inside the workspace the sources stay the entry.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundleViem } from "./bundledViem.ts";
import {
  FEATURE_PACKAGES,
  importFeaturePackages,
  splitDependencies,
  writeFeaturePackages,
} from "./featurePackages.ts";
import { writeLegacyBuild } from "./legacyBuild.ts";
import { NODE_VERSIONS, PUBLISH_CONFIG, repositoryOf } from "./publication.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Each package in a folder of its name. */
const BUILT = join(ROOT, ".cache/packages");

/** Those for browsers and Node.js, in the order of their dependencies. */
const CLIENT_PACKAGES = ["protocol", "client", "react"] as const;
/** Those for Node.js. */
const SERVER_PACKAGES = ["kernel", "outbound", "workers", "chain", "server"] as const;
const PACKAGES = [...CLIENT_PACKAGES, ...SERVER_PACKAGES];

type PackageName = (typeof PACKAGES)[number];
type Manifest = Record<string, unknown> & { version: string; dependencies?: Record<string, string> };

/** The conditions of an entry by the path of its module. */
const moduleAt = (path: string) => ({ types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` });
const MODULES = moduleAt("index");
/** `require` returns the namespace itself, as in the legacy package. */
const WITH_REQUIRE = {
  import: MODULES,
  require: { types: "./dist/index.d.cts", default: "./dist/index.cjs" },
};

const EXPORTS: Record<PackageName, Record<string, unknown>> = {
  protocol: { ".": MODULES },
  client: { ".": WITH_REQUIRE },
  react: { ".": MODULES },
  kernel: { ".": MODULES },
  outbound: { ".": MODULES },
  workers: { ".": MODULES },
  chain: { ".": MODULES },
  server: {
    ".": MODULES,
    "./config": moduleAt("config/defineConfig"),
    "./module": moduleAt("moduleApi"),
    "./studio-api": moduleAt("studioApi/index"),
  },
};

/** Legacy code also imports `moralis-v1/node` and `moralis-v1/types`. */
const LEGACY_EXPORTS = { ".": WITH_REQUIRE, "./node": WITH_REQUIRE, "./types": WITH_REQUIRE };

/**
 * Builds the packages. Returns their folders; throws Error if a source does not compile. Without the check of types, which
 * takes half of the CPU time, only for sources whose types are checked elsewhere.
 */
export async function buildModulePackages({
  checksTypes,
  isForApps = false,
}: {
  checksTypes: boolean;
  /** Builds those for browsers only. */
  isForApps?: boolean;
}): Promise<string[]> {
  const names = isForApps ? CLIENT_PACKAGES : PACKAGES;
  for (const name of names)
    for (const built of [name, `${name}.tsbuildinfo`])
      rmSync(join(BUILT, built), { recursive: true, force: true });
  const compiler = join(ROOT, "node_modules/.bin/tsc");
  const projects = names.map((name) => `packages/${name}/tsconfig.build.json`);
  const options = checksTypes ? [] : ["--noCheck"];
  const { status, stdout } = spawnSync(compiler, ["-b", ...options, ...projects], {
    cwd: ROOT,
    encoding: "utf8",
    // Without garbage collection below this limit, which saves a third of the compiler's CPU time.
    env: { GOGC: "off", GOMEMLIMIT: "2GiB", ...process.env },
  });
  if (status !== 0) throw new Error(`The packages do not compile:\n${stdout}`);
  const folders = names.map(assemblePackage);
  await bundleViem(join(BUILT, "client/dist"), { isForBrowsers: true });
  if (!isForApps)
    for (const name of ["chain", "server"])
      await bundleViem(join(BUILT, name, "dist"), { isForBrowsers: false });
  for (const name of CLIENT_PACKAGES) await writeLegacyBuild(join(BUILT, name));
  return [...folders, writeLegacyPackage(), ...(isForApps ? [] : await separateFeatures())];
}

/** Separates the libraries of optional features from the server. Returns the folders of their packages. */
async function separateFeatures(): Promise<string[]> {
  const used = new Map<string, Set<string>>();
  const libraries: Record<string, string> = {};
  for (const name of ["chain", "server"] as const) {
    for (const [feature, specifiers] of importFeaturePackages(join(BUILT, name, "dist")))
      used.set(feature, new Set([...(used.get(feature) ?? []), ...specifiers]));
    Object.assign(libraries, readManifest(name).dependencies);
  }
  return writeFeaturePackages(BUILT, used, {
    version: readManifest("server").version,
    dependencies: libraries,
  });
}

/** Adds the manifest and other files to the compiled modules. */
function assemblePackage(name: PackageName): string {
  const source = join(ROOT, "packages", name);
  const folder = join(BUILT, name);
  const dist = join(folder, "dist");
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".d.ts")) rewriteImports(join(dist, file));
    if (file.endsWith(".js")) rewriteSpawnedFiles(join(dist, file));
  }
  removeInnerTypes(folder, name);
  if (name === "client") {
    writeRequireEntry(dist);
    dropImportHelper(join(dist, "installedPackage.js"));
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify(publishedManifest(name, readManifest(name)), null, 2)}\n`,
  );
  copyFileSync(join(source, "README.md"), join(folder, "README.md"));
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

/**
 * The client by its old name: `"moralis-v1": "npm:@purse/moralis"`. It only re-exports the client, so that hooks and
 * application share one; an alias of the client itself would be a second copy.
 */
function writeLegacyPackage(): string {
  const folder = join(BUILT, "moralis");
  const dist = join(folder, "dist");
  const client: Manifest = JSON.parse(readFileSync(join(BUILT, "client/package.json"), "utf8"));
  const manifest = {
    ...client,
    name: "@purse/moralis",
    description: "@purse/client, to be installed by the name of moralis or moralis-v1.",
    files: ["dist"],
    main: "./dist/index.js",
    module: "./dist/index.js",
    exports: { ...LEGACY_EXPORTS, "./package.json": "./package.json" },
    dependencies: { "@purse/client": client.version },
    peerDependencies: undefined,
    peerDependenciesMeta: undefined,
  };
  const all = 'export * from "@purse/client";\nexport { default } from "@purse/client";\n';
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(dist, "index.js"), all);
  writeFileSync(join(dist, "index.d.ts"), all);
  writeFileSync(join(dist, "index.cjs"), 'module.exports = require("@purse/client");\n');
  writeFileSync(
    join(dist, "index.d.cts"),
    'import Moralis = require("@purse/client");\n\nexport = Moralis;\n',
  );
  copyFileSync(join(ROOT, "packages/client/README.md"), join(folder, "README.md"));
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

function readManifest(name: PackageName): Manifest {
  return JSON.parse(readFileSync(join(ROOT, "packages", name, "package.json"), "utf8"));
}

function publishedManifest(
  name: PackageName,
  { private: _, devDependencies: __, ...manifest }: Manifest,
): Manifest {
  const { kept, features } = splitDependencies(manifest.dependencies ?? {});
  const dependencies = Object.entries(kept).map(([dependency, range]) => [
    dependency,
    dependency.startsWith("@purse/") ? manifest.version : range,
  ]);
  const isForBrowsers = CLIENT_PACKAGES.some((each) => each === name);
  return {
    ...manifest,
    ...repositoryOf(`packages/${name}`),
    engines: isForBrowsers ? { node: ">=20.19" } : NODE_VERSIONS,
    files: isForBrowsers ? ["dist", "legacy"] : ["dist"],
    // For tools that do not support `exports`.
    main: isForBrowsers ? "./legacy/index.js" : "./dist/index.js",
    ...(isForBrowsers && { module: "./legacy/index.js" }),
    types: "./dist/index.d.ts",
    exports: { ...EXPORTS[name], "./package.json": "./package.json" },
    dependencies: Object.fromEntries(dependencies),
    ...(features.length > 0 &&
      optionalPeers(name === "server" ? FEATURE_PACKAGES : features, manifest.version)),
    publishConfig: PUBLISH_CONFIG,
  };
}

/** Packages that are used if they are installed, in the same version. */
function optionalPeers(names: readonly string[], version: string): object {
  return {
    peerDependencies: Object.fromEntries(names.map((name) => [name, version])),
    peerDependenciesMeta: Object.fromEntries(names.map((name) => [name, { optional: true }])),
  };
}

/** The compiler leaves `./file.ts` in declarations, which most projects cannot resolve. */
function rewriteImports(path: string): void {
  const text = readFileSync(path, "utf8");
  const rewritten = text.replace(/(from |import\(|import )"(\.{1,2}\/[^"]+)\.tsx?"/g, '$1"$2.js"');
  writeFileSync(path, rewritten);
}

/** Removes the declarations to which no entry of a package leads: nobody can import them. */
function removeInnerTypes(folder: string, name: PackageName): void {
  const entries = JSON.stringify(EXPORTS[name]).matchAll(/"(\.\/[^"]+\.d\.ts)"/g);
  const waiting = [...entries].map(([, path = ""]) => join(folder, path));
  const used = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (used.has(file)) continue;
    used.add(file);
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(
      /(?:from |import\(|import )"(\.{1,2}\/[^"]+)\.js"/g,
    ))
      waiting.push(join(file, "..", `${specifier}.d.ts`));
  }
  const dist = join(folder, "dist");
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" }))
    if (file.endsWith(".d.ts") && !used.has(join(dist, file))) rmSync(join(dist, file));
}

/** Threads and processes are spawned by the URL of their source, which the compiler does not rewrite. */
function rewriteSpawnedFiles(path: string): void {
  const text = readFileSync(path, "utf8");
  const rewritten = text.replace(/(new URL\("\.[^"]+)\.ts(", import\.meta\.url\))/g, "$1.js$2");
  if (rewritten !== text) writeFileSync(path, rewritten);
}

/**
 * The compiler wraps an import of a computed name into a helper that rewrites paths. The name of a package is not a
 * path, and bundlers warn about the helper's `this`.
 */
function dropImportHelper(path: string): void {
  const helper = /^var __rewriteRelativeImportExtension = [\s\S]*?^};\n/m;
  const wrapped = /import\(__rewriteRelativeImportExtension\(([^()]*)\)\)/;
  const text = readFileSync(path, "utf8");
  if (!helper.test(text) || !wrapped.test(text)) throw new Error(`${path} has another form than expected`);
  writeFileSync(path, text.replace(helper, "").replace(wrapped, "import($1)"));
}

/** `require` and `import` share the modules and their state. */
function writeRequireEntry(dist: string): void {
  writeFileSync(join(dist, "index.cjs"), 'module.exports = require("./index.js").Moralis;\n');
  writeFileSync(join(dist, "index.d.cts"), 'import { Moralis } from "./index.js";\n\nexport = Moralis;\n');
}
