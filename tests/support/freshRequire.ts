import { createRequire } from "node:module";

/** Requires a client with fresh module state, as in a new process. Untyped. */
export function freshRequire(name: string, from: string) {
  const require = createRequire(from);
  for (const path of Object.keys(require.cache)) {
    if (path.includes("/tests/interop/node_modules/")) delete require.cache[path];
  }
  return require(name);
}
