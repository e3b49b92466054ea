// `npm run docs` builds the documentation site into .cache/docs; `npm run docs -- --dev` serves it with reload, and
// `npm run docs -- --if-changed` builds it only if its sources have changed.
import { join } from "node:path";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled, node, root, run } from "./install.mjs";

const home = join(root, "scripts/docs");
const publicFolder = join(root, ".cache/docs-public");
const site = join(root, ".cache/docs/index.html");
const vitepress = join(home, "node_modules/vitepress/bin/vitepress.js");
const described = ["client", "react", "protocol"].map((name) => join("packages", name, "src"));

ensureInstalled();
// The tools of the site have dependencies of their own: TypeDoc needs an older TypeScript, VitePress an older Vite.
ensureInstalled(home, "the documentation tools");

if (process.argv.includes("--if-changed")) {
  ensureBuilt(
    "documentation site",
    ["docs", "scripts/docs/.vitepress", "scripts/docs/package.json", "scripts/docs.mjs", ...described],
    site,
    buildSite,
  );
} else {
  // Pages that are generated from the code.
  run(node, [join(root, "scripts/reference.ts")]);
  if (process.argv.includes("--dev")) {
    describePackages();
    run(node, [vitepress, "dev", home]);
  } else {
    buildSite();
    console.log(site);
  }
}

function buildSite() {
  describePackages();
  run(node, [vitepress, "build", home]);
}

function describePackages() {
  run(node, [
    join(home, "node_modules/typedoc/bin/typedoc"),
    ...["--tsconfig", join(home, "typedoc.tsconfig.json")],
    ...["--out", join(publicFolder, "api")],
    ...["--name", "Purse"],
    ...["--readme", join(root, "packages/client/README.md")],
    // The output does not depend on the repository's address or on the commit.
    ...["--disableSources", "--disableGit", "--hideGenerator"],
    // Names with an underscore are internal.
    ...["--excludeInternal", "--excludePrivate", "--excludeExternals"],
    ...["--logLevel", "Warn", "--validation.notExported", "false"],
    ...described.map((folder) => join(root, folder, "index.ts")),
  ]);
}
