/*
 * `npm run sizes`: what the client packages add to a page, minified and compressed, beside their budgets; writes
 * docs/internals/sizes/client.md. `-- --modules NAME` lists the modules of a row.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type OutputChunk, type Plugin, type RolldownBuild, rolldown } from "rolldown";

const ROOT = resolve(import.meta.dirname, "..");
const PAGE = join(ROOT, "docs/internals/sizes/client.md");
const ENTRY = "\0entry";

interface Subject {
  name: string;
  /** A description of the contents. */
  what: string;
  /** The module whose bundle is measured. */
  entry: string;
  /** Imports of the client's index to exclude. */
  without?: RegExp;
  /** Bytes, minified and compressed. */
  budget?: number;
}

export const SUBJECTS: readonly Subject[] = [
  {
    name: "core",
    what: "`start`, objects, queries, users",
    entry: 'export { ParseObject, Query, start, User } from "@purse/client";',
    budget: 15_400,
  },
  {
    name: "live",
    what: "the same with live queries",
    entry: 'export { LiveQuery, ParseObject, Query, start, User } from "@purse/client";',
  },
  {
    name: "functions",
    what: "`start` and `Cloud.run`",
    entry: 'export { Cloud, start } from "@purse/client";',
  },
  {
    name: "chain data",
    what: "`start` and `Web3API`",
    entry: 'export { start, Web3API } from "@purse/client";',
  },
  {
    name: "without wallets",
    what: "everything except wallets, passkeys, what depends on them, and the namespace",
    entry: 'export * from "@purse/client";',
    without: /^\.\/(wallet\/|(ethers|namespace)\.ts$)/,
    budget: 40_200,
  },
  {
    name: "passkeys",
    what: "`start` and `Passkeys`",
    entry: 'export { Passkeys, start } from "@purse/client";',
  },
  {
    name: "wallet",
    what: "`start`, `enableWeb3`, `authenticate`, `transfer`",
    entry: 'export { authenticate, enableWeb3, start, transfer } from "@purse/client";',
  },
  { name: "everything", what: "the namespace `Moralis`", entry: 'export { default } from "@purse/client";' },
  {
    name: "hooks",
    what: "all of `@purse/react` with the client, without React",
    entry: 'export * from "@purse/react";',
  },
];

export interface Size {
  /** Bytes of what a page loads at once. */
  minified: number;
  compressed: number;
  /** Compressed bytes of lazily loaded code. */
  later: number;
  /** Bytes before minifying, by file below the workspace, the heaviest first. */
  modules: { file: string; bytes: number }[];
}

if (import.meta.main) await main(process.argv.slice(2));

async function main([option, requestedName]: string[]): Promise<void> {
  if (option === "--modules") {
    const subject = SUBJECTS.find(({ name }) => name === requestedName);
    if (!subject) throw new Error(`--modules takes one of ${SUBJECTS.map(({ name }) => name).join(", ")}`);
    for (const { file, bytes } of (await measure(subject)).modules)
      console.log(`${String(bytes).padStart(8)}  ${file}`);
    return;
  }
  const rows: [Subject, Size][] = [];
  for (const subject of SUBJECTS) rows.push([subject, await measure(subject)]);
  writeFileSync(PAGE, renderPage(rows));
  console.log(`${readFileSync(PAGE, "utf8")}\n${relative(ROOT, PAGE)} is written`);
}

/** Bundles the entry as an application would, and measures the output. */
export async function measure({ entry, without }: Subject): Promise<Size> {
  const bundle = await rolldown({
    input: ENTRY,
    cwd: ROOT,
    platform: "browser",
    logLevel: "silent",
    external: ["react", "react/jsx-runtime", "react-dom"],
    plugins: [virtualEntry(entry, without)],
    transform: { target: "es2022" },
  });
  const initialChunks = staticImports(await chunksOf(bundle));
  const modules = new Set(initialChunks.flatMap(({ moduleIds }) => moduleIds));
  // The initial code in one file, because the splitting depends on the bundler.
  const chunks = await chunksOf(bundle, (id) => modules.has(id));
  await bundle.close();
  const loadedChunks = staticImports(chunks);
  const gzipSize = (of: readonly OutputChunk[]) =>
    of.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
  return {
    minified: loadedChunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0),
    compressed: gzipSize(loadedChunks),
    later: gzipSize(chunks.filter((chunk) => !loadedChunks.includes(chunk))),
    modules: loadedChunks
      .flatMap(({ modules }) => Object.entries(modules))
      .map(([file, { renderedLength }]) => ({ file: relative(ROOT, file), bytes: renderedLength }))
      .filter(({ bytes }) => bytes > 0)
      .sort((a, b) => b.bytes - a.bytes),
  };
}

async function chunksOf(
  bundle: RolldownBuild,
  isInMainChunk?: (id: string) => boolean,
): Promise<OutputChunk[]> {
  const codeSplitting = isInMainChunk ? { groups: [{ name: "at-once", test: isInMainChunk }] } : true;
  const { output } = await bundle.generate({ minify: true, codeSplitting });
  return output.filter((file) => file.type === "chunk");
}

/** The entry and its static imports. */
function staticImports(chunks: readonly OutputChunk[]): OutputChunk[] {
  const reachable = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const chunk of reachable) {
    for (const file of chunk.imports) {
      const imported = chunks.find(({ fileName }) => fileName === file);
      if (imported) reachable.add(imported);
    }
  }
  return [...reachable];
}

/** A plugin for the virtual entry and the excluded imports. */
function virtualEntry(entry: string, without?: RegExp): Plugin {
  const index = join(ROOT, "packages/client/src/index.ts");
  return {
    name: "made-up",
    resolveId(source, importer) {
      if (source === ENTRY) return ENTRY;
      if (importer === index && without?.test(source)) return { id: source, external: true };
      // Resolves imports as if the entry were a file of the project.
      if (importer === ENTRY) return this.resolve(source, join(ROOT, "packages/react/package.json"));
      return undefined;
    },
    load: (id) => (id === ENTRY ? entry : undefined),
  };
}

function renderPage(rows: readonly [Subject, Size][]): string {
  const kilobytes = (bytes: number) => (bytes === 0 ? "" : `${(bytes / 1000).toFixed(1)} kB`);
  const lines = rows.map(
    ([{ name, what, budget = 0 }, { minified, compressed, later }]) =>
      `| ${name} | ${what} | ${kilobytes(minified)} | ${kilobytes(compressed)} | ${kilobytes(later)} | ${kilobytes(budget)} |`,
  );
  return `# Client bundle sizes

Bundled and minified by Rolldown, as vite does it, compressed with gzip, for browsers with ECMAScript 2022; 1 kB is 1000 bytes. "Later" is
code that loads on first use, compressed: sign-in, batches, file operations, and the classes \`File\`, \`GeoPoint\` and \`Polygon\`. \`npm run sizes\` writes this page; \`npm test\` enforces the budgets.

| | what | minified | compressed | later | budget |
| --- | --- | ---: | ---: | ---: | ---: |
${lines.join("\n")}
`;
}
