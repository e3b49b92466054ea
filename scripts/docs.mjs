// `npm run docs` builds the documentation site into .cache/docs; `npm run docs -- --dev` serves it with reload, and
// `npm run docs -- --if-changed` builds it only if its sources have changed.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { docsSite, ensureBuilt } from "./build.mjs";
import { moveInlineScripts } from "./docs/inlineScripts.mjs";
import { ensureInstalled, node, root, run } from "./install.mjs";

const home = join(root, "scripts/docs");
const publicFolder = join(root, ".cache/docs-public");
const site = join(docsSite, "index.html");
const vitepress = join(home, "node_modules/vitepress/bin/vitepress.js");
/** Of the site, besides the packages that it describes. */
const SOURCES = [
  ...["docs", "scripts/docs.mjs", "scripts/docs/.vitepress", "scripts/docs/package.json"],
  ...[
    "scripts/docs/inlineScripts.mjs",
    "packages/ui/src/styles/tokens.css",
    "packages/ui/public/favicon.svg",
  ],
];
const described = ["client", "react", "protocol"].map((name) => join("packages", name, "src"));

ensureInstalled();
// The tools of the site have dependencies of their own: TypeDoc needs an older TypeScript, VitePress an older Vite.
ensureInstalled(home, "the documentation tools");

if (process.argv.includes("--if-changed")) {
  ensureBuilt("documentation site", [...SOURCES, ...described], site, buildSite);
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
  moveInlineScripts(docsSite, join(docsSite, "assets"), "/docs/assets");
}

function describePackages() {
  mkdirSync(publicFolder, { recursive: true });
  copyFileSync(join(root, "packages/ui/public/favicon.svg"), join(publicFolder, "favicon.svg"));
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
