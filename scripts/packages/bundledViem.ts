/*
 * The used parts of viem, put into packed packages with their types: with what it depends on, viem has 40 MB. Build tools of
 * older applications (Create React App) compile `2n ** x` into `Math.pow`, which throws for bigints; for browsers it is
 * compiled into a shift first.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import MagicString from "magic-string";
import { type Plugin, rolldown } from "rolldown";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";
import { modulesOf, NOTICES_FILE, noticesOf } from "./thirdParty.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** The used exports of each entry of viem, as `viem/utils`. */
type UsedExports = Map<string, Set<string>>;

const IMPORT = /(\bfrom |\bimport\()"(viem(?:\/[a-z]+)?)"/g;
const NAMED_IMPORT =
  /\bimport (?:type )?\{([^}]+)\} from "(viem(?:\/[a-z]+)?)"|const \{([^}]+)\} = await import\("(viem(?:\/[a-z]+)?)"\)/g;

/**
 * Bundles what the compiled modules below `dist` import from viem into `dist/viem`, and points their imports there.
 * Throws Error for an import whose names cannot be determined, and for a power of bigints that cannot be compiled.
 */
export async function bundleViem(dist: string, { isForBrowsers }: { isForBrowsers: boolean }): Promise<void> {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).map((file) => join(dist, file));
  const modules = files.filter((file) => file.endsWith(".js"));
  const declarations = files.filter((file) => file.endsWith(".d.ts"));
  const used = usedExports(modules);
  const folder = join(dist, "viem");
  const types = usedExports(declarations);
  const bundle = await rolldown({
    input: Object.fromEntries([...used.keys()].map((entry) => [entryName(entry), entry])),
    cwd: dirname(import.meta.dirname),
    platform: isForBrowsers ? "browser" : "node",
    plugins: [onlyUsedExports(used), ...(isForBrowsers ? [shiftsForPowers()] : [])],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    comments: false,
  });
  await bundle.close();
  const origins = [...modulesOf(output), ...writeTypes(folder, types)];
  writeFileSync(join(folder, NOTICES_FILE), noticesOf(origins));
  for (const file of [...modules, ...declarations]) {
    const text = readFileSync(file, "utf8");
    const entryAt = (entry: string) => relativeTo(file, join(folder, `${entryName(entry)}.js`));
    const rewritten = text.replace(
      IMPORT,
      (_all, before: string, entry: string) => `${before}"${entryAt(entry)}"`,
    );
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}

/** The specifier of a module in an import of another one. */
function relativeTo(importer: string, module: string): string {
  const path = relative(dirname(importer), module);
  return path.startsWith(".") ? path : `./${path}`;
}

function entryName(entry: string): string {
  return entry === "viem" ? "index" : entry.slice("viem/".length);
}

function usedExports(files: readonly string[]): UsedExports {
  const used: UsedExports = new Map();
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const named = [...text.matchAll(NAMED_IMPORT)];
    if (named.length !== [...text.matchAll(IMPORT)].length)
      throw new Error(`${file} has to name what it imports of viem: const { … } = await import("viem/…")`);
    for (const [, fixed, fixedEntry, loaded = "", loadedEntry = ""] of named) {
      const entry = fixedEntry ?? loadedEntry;
      const known = used.get(entry) ?? new Set();
      for (const each of (fixed ?? loaded).split(",")) {
        const [name] = each
          .trim()
          .replace(/^type /, "")
          .split(/:| as /);
        if (name) known.add(name.trim());
      }
      used.set(entry, known);
    }
  }
  return used;
}

/** An import in the declarations of viem and of what it depends on. */
const TYPE_IMPORT = /(\bfrom |\bimport\()["']([^"']+)["']/g;

/**
 * Writes the types that are used of viem, with all that these refer to, below `folder`. Returns the files that they were
 * copied from.
 */
function writeTypes(folder: string, used: UsedExports): string[] {
  const copied = new Set<string>();
  const target = (file: string) => join(folder, "types", file.slice(file.lastIndexOf("/node_modules/") + 14));
  const copy = (file: string): void => {
    if (copied.has(file)) return;
    copied.add(file);
    // Without comments, whose examples import, too; some are for the compiler.
    const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|^\/\/# .*$/gm, (comment) =>
      comment.includes("@ts-") ? comment : "",
    );
    const imported = text.replace(TYPE_IMPORT, (_all, before: string, specifier: string) => {
      const found = declarationOf(specifier, file);
      copy(found);
      return `${before}"${relativeTo(target(file), target(found)).replace(/\.d\.ts$/, ".js")}"`;
    });
    mkdirSync(dirname(target(file)), { recursive: true });
    writeFileSync(target(file), imported);
  };
  for (const [entry, names] of used) {
    const path = join(folder, `${entryName(entry)}.d.ts`);
    const entryFile = declarationOf(entry, join(ROOT, "scripts"));
    const lines = [...names].sort().map((name) => {
      const file = definitionOf(name, entryFile);
      copy(file);
      return `export type { ${name} } from "${relativeTo(path, target(file)).replace(/\.d\.ts$/, ".js")}";`;
    });
    writeFileSync(path, `${lines.join("\n")}\n`);
  }
  return [...copied];
}

/** The file from which an entry exports a type. */
function definitionOf(name: string, entry: string): string {
  const exported = new RegExp(`export (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from ["']([^"']+)["']`);
  const [, specifier] = exported.exec(readFileSync(entry, "utf8")) ?? [];
  return specifier === undefined ? entry : declarationOf(specifier, entry);
}

/** The declarations that an import leads to. Throws Error if there are none. */
function declarationOf(specifier: string, importer: string): string {
  if (specifier.startsWith(".")) return join(dirname(importer), specifier.replace(/\.[jt]s$/, ".d.ts"));
  const [, name = "", subpath = ""] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? [];
  for (let folder = dirname(importer); folder !== dirname(folder); folder = dirname(folder)) {
    const home = join(folder, "node_modules", name);
    if (!existsSync(join(home, "package.json"))) continue;
    const { exports, types } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    const entry = exports?.[`.${subpath}`];
    const module = entry?.types ?? entry?.import?.types ?? entry?.import ?? entry ?? types;
    const file = join(home, String(module).replace(/\.js$/, ".d.ts"));
    if (existsSync(file)) return file;
  }
  throw new Error(`No declarations of ${specifier} for ${importer}`);
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
