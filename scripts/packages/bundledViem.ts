/*
 * The used parts of viem, put into the packed client. Build tools of older applications (Create React App) compile
 * `2n ** x` into `Math.pow`, which throws for bigints; here it is compiled into a shift first.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import MagicString from "magic-string";
import { type Plugin, rolldown } from "rolldown";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";
import { NOTICES_FILE, noticesOf } from "./thirdParty.ts";

/** The used exports of each entry of viem, as `viem/utils`. */
type UsedExports = Map<string, Set<string>>;

const IMPORT = /\bimport\("(viem(?:\/[a-z]+)?)"\)/g;
const DESTRUCTURED_IMPORT = /const \{ ([^}]+) \} = await import\("(viem(?:\/[a-z]+)?)"\)/g;

/**
 * Bundles what the compiled modules below `dist` import from viem into `dist/viem`, and points their imports there.
 * Throws Error for an import whose names cannot be determined, and for a power of bigints that cannot be compiled.
 */
export async function bundleViem(dist: string): Promise<void> {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js"))
    .map((file) => join(dist, file));
  const used = usedExports(files);
  const folder = join(dist, "viem");
  const bundle = await rolldown({
    input: Object.fromEntries([...used.keys()].map((entry) => [entryName(entry), entry])),
    cwd: dirname(import.meta.dirname),
    platform: "browser",
    plugins: [onlyUsedExports(used), shiftsForPowers()],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    comments: false,
  });
  await bundle.close();
  const modules = output.flatMap((file) => ("moduleIds" in file ? file.moduleIds : []));
  writeFileSync(join(folder, NOTICES_FILE), noticesOf(modules));
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const path = relative(dirname(file), folder) || ".";
    const prefix = path.startsWith(".") ? path : `./${path}`;
    writeFileSync(
      file,
      text.replace(IMPORT, (_all, entry: string) => `import("${prefix}/${entryName(entry)}.js")`),
    );
  }
}

function entryName(entry: string): string {
  return entry === "viem" ? "index" : entry.slice("viem/".length);
}

function usedExports(files: readonly string[]): UsedExports {
  const used: UsedExports = new Map();
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const named = [...text.matchAll(DESTRUCTURED_IMPORT)];
    if (named.length !== [...text.matchAll(IMPORT)].length || /from "viem/.test(text))
      throw new Error(`${file} has to import viem as const { … } = await import("viem/…")`);
    for (const [, names = "", entry = ""] of named) {
      const known = used.get(entry) ?? new Set();
      for (const name of names.split(",")) known.add(name.split(":")[0]?.trim() ?? "");
      used.set(entry, known);
    }
  }
  return used;
}

/** Entries that export no more than what is used. */
function onlyUsedExports(used: UsedExports): Plugin {
  const MARK = "\0used:";
  return {
    name: "only-used-exports",
    resolveId: (source, importer) => (importer === undefined ? MARK + source : null),
    load(id) {
      if (!id.startsWith(MARK)) return null;
      const entry = id.slice(MARK.length);
      return `export { ${[...(used.get(entry) ?? [])].sort().join(", ")} } from "${entry}";`;
    },
  };
}

/** Compiles powers of two and of ten as bigints into what every compiler keeps. */
function shiftsForPowers(): Plugin {
  return {
    name: "shifts-for-powers",
    // Of chunks, not of modules: what is not used needs no compiling.
    renderChunk(code, { fileName }) {
      const text = new MagicString(code);
      const source = (node: ESTree.Node) => text.slice(node.start, node.end);
      new Visitor({
        "BinaryExpression:exit"({ operator, left, right, start, end }) {
          if (operator !== "**" || isNumber(left)) return;
          const base = left.type === "Literal" && "bigint" in left ? left.bigint : undefined;
          if (base === "2") text.overwrite(start, end, `(1n << (${source(right)}))`);
          else if (base === "10")
            text.overwrite(start, end, `BigInt("1" + "0".repeat(Number(${source(right)})))`);
          else throw new Error(`${fileName}: cannot compile ${code.slice(start, end)}`);
        },
      }).visit(parseSync(fileName, code).program);
      return { code: text.toString() };
    },
  };
}

function isNumber(node: ESTree.Node): boolean {
  return node.type === "Literal" && typeof node.value === "number";
}
