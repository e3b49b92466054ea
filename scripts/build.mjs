import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { node, root, run } from "./install.mjs";
import { inTurn } from "./turn.mjs";

/** Optional wallet libraries, which are bundled if they are installed. */
const OPTIONAL = ["@walletconnect/ethereum-provider", "@web3auth/modal"];
const APPS = [
  {
    name: "web",
    document: "index.html",
    packages: ["packages/protocol", "packages/client", "packages/react", "packages/ui"],
  },
  { name: "studio", document: "studio.html", packages: ["packages/protocol", "packages/ui"] },
];
const APP_CONFIG = [
  "apps/viteConfig.ts",
  "apps/pagePreloads.ts",
  "apps/plainUser.ts",
  "scripts/packages/thirdParty.ts",
];
const SERVER_SOURCES = [
  ...[
    "scripts/buildServer.mjs",
    "scripts/packages/thirdParty.ts",
    "packages/protocol",
    "packages/kernel",
    "packages/outbound",
    "packages/workers",
  ],
  ...["packages/client", "packages/chain", "packages/devchain/src", "packages/server", "packages/cli"],
];

/** What `npm start` runs. */
export const serverFile = join(root, ".cache/server/purse.js");

/** What tests run in processes of their own: servers, commands, and an indexer that is killed. */
const TEST_PROGRAMS = [
  "tests/support/serverHost/program.ts",
  "packages/cli/src/cli.ts",
  "tests/support/indexerProcess.ts",
  "tests/fixtures/failingStart.ts",
];
const TEST_BUNDLE = ".cache/test-host";

/** Runs servers for tests. */
export const testHostFile = join(root, TEST_BUNDLE, "program.js");

/** `npm run purse`, for tests. */
export const testCliFile = join(root, TEST_BUNDLE, "cli.js");

/** Starts servers that cannot start, for a test. */
export const failingStartFile = join(root, TEST_BUNDLE, "failingStart.js");

/** The built documentation site. */
export const docsSite = join(root, ".cache/docs");

/** The packages as `npm publish` would send them, each in a file such as `purse-client-0.1.0.tgz`. */
export const tarballs = join(root, ".cache/tarballs");

/** Builds each app whose sources have changed since its last build. */
export function ensureAppsBuilt() {
  for (const { name, document, packages } of APPS) {
    const folder = join(root, "apps", name);
    const sources = [`apps/${name}`, ...APP_CONFIG, ...packages];
    ensureBuilt(name, sources, join(folder, "dist", document), () =>
      run(node, [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], {
        cwd: folder,
        // Also if a test builds it: development builds of libraries are larger.
        env: { ...process.env, NODE_ENV: "production" },
      }),
    );
  }
}

/** Builds the documentation site if its sources have changed. */
export function ensureDocsBuilt() {
  run(node, [join(root, "scripts/docs.mjs"), "--if-changed"]);
}

/** Bundles the server if its sources have changed since the last build. */
export function ensureServerBuilt() {
  ensureBuilt("server", SERVER_SOURCES, serverFile, () => run(node, [join(root, "scripts/buildServer.mjs")]));
}

/** Bundles the programs of tests in the same way. */
export function ensureTestHostBuilt() {
  const sources = [...SERVER_SOURCES, "tests/support/serverHost", ...TEST_PROGRAMS.slice(1)];
  ensureBuilt("test-host", sources, testHostFile, () =>
    run(node, [join(root, "scripts/buildServer.mjs"), TEST_BUNDLE, ...TEST_PROGRAMS]),
  );
}

/** Bundles all that tests run. */
export function ensureServersBuilt() {
  ensureServerBuilt();
  ensureTestHostBuilt();
}

/** Builds and packs the packages for tests if their sources have changed since the last build. */
export function ensurePackagesBuilt() {
  const sources = ["scripts", "packages", "apps"];
  ensureBuilt("packages", sources, tarballs, () =>
    run(node, [join(root, "scripts/packages.ts"), "--no-check"], { stdio: ["ignore", "ignore", "inherit"] }),
  );
}

/** What a server hands out below `/packages`, by part: sources, and the argument of `scripts/packages.ts`. */
const SERVED = {
  apps: [
    ...["scripts/packages", "scripts/packages.ts", "packages/protocol", "packages/client", "packages/react"],
    "packages/create-purse-app",
  ],
  command: ["scripts", "packages", "apps", "docs"],
};

/** Returns the folder of a part, built if its sources have changed. Without `isBuilding`, undefined if none was ever built. */
export function servedPackages(part, { isBuilding }) {
  // The command contains the packages for apps.
  if (isBuilding && part === "command") servedPackages("apps", { isBuilding });
  const folder = join(root, ".cache/served", part);
  const product = join(folder, "index.json");
  if (isBuilding)
    ensureBuilt(`packages for ${part}`, SERVED[part], product, () =>
      run(node, [join(root, "scripts/packages.ts"), "served", part], {
        stdio: ["ignore", "ignore", "inherit"],
      }),
    );
  return existsSync(product) ? folder : undefined;
}

/** Builds something if its sources have changed since its last build, or if the product is missing. */
export function ensureBuilt(name, sources, product, build) {
  const stamp = join(root, `.cache/${name.replaceAll(" ", "-")}-built`);
  const hash = sourcesHash(sources);
  const isBuilt = () => existsSync(product) && existsSync(stamp) && readFileSync(stamp, "utf8") === hash;
  if (isBuilt()) return;
  inTurn(join(root, ".cache/locks", `build-${name}`), () => {
    if (isBuilt()) return;
    console.log(`Building the ${name} …`);
    build();
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, hash);
  });
}

function sourcesHash(sources) {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  for (const library of OPTIONAL) {
    const manifest = join(root, "node_modules", library, "package.json");
    if (existsSync(manifest)) hash.update(readFileSync(manifest));
  }
  for (const source of sources) {
    const files = filesOf(join(root, source))
      .filter((file) => !/\/(dist|node_modules|test)\/|\.test\.tsx?$/.test(file))
      .sort();
    for (const file of files) hash.update(file.slice(root.length)).update(readFileSync(file));
  }
  return hash.digest("hex");
}

function filesOf(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
