// `npm run mutate`: changes the permission module and the query compiler in thousands of ways and reports which changes no test notices.
import { join } from "node:path";
import { ensureInstalled, node, root, run } from "./install.mjs";

const home = join(root, "scripts/mutation");
ensureInstalled();
ensureInstalled(home, "the tools of the mutation tests");
run(node, [
  join(home, "node_modules/@stryker-mutator/core/bin/stryker.js"),
  "run",
  join(home, "stryker.config.json"),
  ...process.argv.slice(2),
]);
