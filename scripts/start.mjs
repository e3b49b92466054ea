// `npm start`: installs missing packages, builds what has changed, and runs the built server with the pinned Node.js.
import { spawn } from "node:child_process";
import { ensureAppsBuilt, ensureServerBuilt, serverFile } from "./build.mjs";
import { compiled, ensureInstalled, node, root } from "./install.mjs";

ensureInstalled();
ensureAppsBuilt();
ensureServerBuilt();

const child = spawn(node, [serverFile, ...process.argv.slice(2)], {
  stdio: "inherit",
  cwd: root,
  env: { ...compiled, ...process.env },
});
// A terminal's Ctrl-C reaches the child by itself; a signal from elsewhere is handed on.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
