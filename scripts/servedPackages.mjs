// Builds a part of what a server hands out below `/packages`, `apps` or `command`, if its sources have changed, and prints its
// folder. With `--if-built`, it builds nothing, and prints nothing if there is none.
import { servedPackages } from "./build.mjs";

const [part, option] = process.argv.slice(2);
const folder = servedPackages(part, { isBuilding: option !== "--if-built" });
if (folder !== undefined) console.log(folder);
