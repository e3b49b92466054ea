// `npm start`: installs missing packages, builds what has changed, and runs the built server with the pinned Node.js.
import { execute } from "../packages/cli/bin/execute.js";
import { ensureAppsBuilt, ensureServerBuilt, serverFile } from "./build.mjs";
import { compiled, ensureInstalled, lowMemory, node, root } from "./install.mjs";

ensureInstalled();
ensureAppsBuilt();
ensureServerBuilt();

process.chdir(root);
const args = [...lowMemory.flags, serverFile, ...process.argv.slice(2)];
execute(node, args, { ...compiled, ...lowMemory.env, ...process.env });
