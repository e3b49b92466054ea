// `npm run docs` builds the documentation site into .cache/docs; `npm run docs -- --dev` serves it with reload.
import { join } from "node:path";
import { ensureInstalled, node, root, run } from "./install.mjs";

const home = join(root, "scripts/docs");
const publicFolder = join(root, ".cache/docs-public");
const isDev = process.argv.includes("--dev");
ensureInstalled();
// The tools of the site have dependencies of their own: TypeDoc needs an older TypeScript, VitePress an older Vite.
ensureInstalled(home, "the documentation tools");

// Pages that are generated from the code.
run(node, [join(root, "scripts/reference.ts")]);

const entries = ["client", "react", "protocol"].map((name) => join(root, "packages", name, "src/index.ts"));
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
  ...entries,
]);

const vitepress = join(home, "node_modules/vitepress/bin/vitepress.js");
run(node, [vitepress, isDev ? "dev" : "build", home]);
if (!isDev) console.log(join(root, ".cache/docs/index.html"));
