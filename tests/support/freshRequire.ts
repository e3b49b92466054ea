import { createRequire } from "node:module";

/** A client as if this were a new process: what it keeps in its modules is its own. Untyped, as it comes. */
export function freshRequire(name: string, from: string) {
  const require = createRequire(from);
  for (const path of Object.keys(require.cache)) {
    if (path.includes("/tests/interop/node_modules/")) delete require.cache[path];
  }
  return require(name);
}
