// `npm run docs`: generates docs/api from the docstrings of the client packages.
import { join } from "node:path";
import { ensureInstalled, node, root, run } from "./install.mjs";

const home = join(root, "scripts/docs");
ensureInstalled();
// Separate, because TypeDoc needs an older TypeScript.
ensureInstalled(home, "what writes the API pages");

const entries = ["client", "react", "protocol"].map((name) => join(root, "packages", name, "src/index.ts"));
run(node, [
  join(home, "node_modules/typedoc/bin/typedoc"),
  ...["--tsconfig", join(home, "tsconfig.json")],
  ...["--out", join(root, "docs/api")],
  ...["--name", "Purse"],
  ...["--readme", join(root, "packages/client/README.md")],
  // No repository links, so that the output is reproducible.
  ...["--disableSources", "--disableGit", "--hideGenerator"],
  // Names with an underscore are the packages' own.
  ...["--excludeInternal", "--excludePrivate", "--excludeExternals"],
  ...["--logLevel", "Warn", "--validation.notExported", "false"],
  ...entries,
]);
console.log("docs/api/index.html");
