import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { node, root, run } from "./install.mjs";

/** Optional wallet libraries, which are bundled if they are installed. */
const OPTIONAL = ["@walletconnect/ethereum-provider", "@web3auth/modal"];
const SOURCES = ["app", "packages/protocol", "packages/client", "packages/react"];

/** Builds the app if its sources have changed since the last build. */
export function ensureAppBuilt() {
  const stamp = join(root, ".cache/app-built");
  const wanted = sourcesHash();
  if (
    existsSync(join(root, "app/dist/index.html")) &&
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === wanted
  )
    return;
  console.log("Building the app …");
  run(node, [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], {
    cwd: join(root, "app"),
  });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

function sourcesHash() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  for (const library of OPTIONAL) {
    const manifest = join(root, "node_modules", library, "package.json");
    if (existsSync(manifest)) hash.update(readFileSync(manifest));
  }
  for (const source of SOURCES) {
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
