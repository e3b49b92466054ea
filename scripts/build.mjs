import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { node, root, run } from "./install.mjs";

/** Optional wallet libraries, which are bundled if they are installed. */
const OPTIONAL = ["@walletconnect/ethereum-provider", "@web3auth/modal"];
const APP_SOURCES = ["app", "packages/protocol", "packages/client", "packages/react"];
const SERVER_SOURCES = [
  ...["scripts", "packages/protocol", "packages/workers", "packages/client"],
  ...["packages/chain", "packages/devchain/src", "packages/server"],
];

/** What `npm start` runs. */
export const serverFile = join(root, ".cache/server/purse.js");

/** Builds the app if its sources have changed since the last build. */
export function ensureAppBuilt() {
  ensureBuilt("app", APP_SOURCES, join(root, "app/dist/index.html"), () =>
    run(node, [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], {
      cwd: join(root, "app"),
    }),
  );
}

/** Bundles the server if its sources have changed since the last build. */
export function ensureServerBuilt() {
  ensureBuilt("server", SERVER_SOURCES, serverFile, () => run(node, [join(root, "scripts/buildServer.mjs")]));
}

function ensureBuilt(name, sources, product, build) {
  const stamp = join(root, `.cache/${name}-built`);
  const hash = sourcesHash(sources);
  if (existsSync(product) && existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  console.log(`Building the ${name} …`);
  build();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

function sourcesHash(sources) {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  for (const library of OPTIONAL) {
    const manifest = join(root, "node_modules", library, "package.json");
    if (existsSync(manifest)) hash.update(readFileSync(manifest));
  }
  for (const source of sources) {
    const entries = readdirSync(join(root, source), { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !/\/(dist|node_modules)\/|\.test\.tsx?$/.test(file))
      .sort();
    for (const file of files) hash.update(file.slice(root.length)).update(readFileSync(file));
  }
  return hash.digest("hex");
}
