// `npm run check`: format and lint, types, import rules, generated pages, documentation links, vocabulary.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, node, root } from "./install.mjs";

ensureInstalled();
const bin = (name) => join(root, "node_modules/.bin", name);
const steps = [
  ["format and lint", bin("biome"), ["check", "--error-on-warnings"]],
  ["types", bin("tsc"), ["-b"]],
  [
    "layers",
    node,
    [bin("depcruise"), "packages", "apps", "scripts", "tests", "--config", ".dependency-cruiser.cjs"],
  ],
  ["cycles and layers of the server", node, ["scripts/architecture.ts"]],
  ["conformance table", node, ["scripts/conformance.ts", "--check"]],
  ["generated reference pages", node, ["scripts/reference.ts", "--check"]],
  ["client of the data API", node, ["scripts/web3api.ts", "--check"]],
  ["facts of chains", node, ["scripts/chainFacts.ts", "--check"]],
  ["links of the documentation", node, ["scripts/links.ts"]],
  ["vocabulary", node, ["scripts/vocabulary.ts"]],
];
const failed = steps.filter(([name, command, args]) => {
  console.log(`\n— ${name}`);
  return spawnSync(command, args, { stdio: "inherit", cwd: root }).status !== 0;
});
for (const [name] of failed) console.error(`failed: ${name}`);
process.exit(failed.length > 0 ? 1 : 0);
