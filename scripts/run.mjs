// Runs a TypeScript file of the project with the pinned Node.js, after installing missing packages.
import { spawnSync } from "node:child_process";
import { compiled, ensureInstalled, node, root } from "./install.mjs";

ensureInstalled();
const { status } = spawnSync(node, process.argv.slice(2), {
  stdio: "inherit",
  cwd: root,
  env: { ...compiled, ...process.env },
});
process.exit(status ?? 1);
