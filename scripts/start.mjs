// `npm start`: installs missing packages, rebuilds stale output, and runs Purse with the pinned Node.js.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureAppBuilt } from "./build.mjs";
import { compiled, ensureInstalled, node, root } from "./install.mjs";

ensureInstalled();
ensureAppBuilt();

const child = spawn(node, [join(root, "scripts/purse.ts"), ...process.argv.slice(2)], {
  stdio: "inherit",
  cwd: root,
  env: { ...compiled, ...process.env },
});
// A terminal's Ctrl-C reaches the child directly; other signals are forwarded.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
