/*
 * `npm run sizes:app`: what a browser loads for the first page of the web app and of the studio, and what each further page
 * adds, compressed; writes docs/internals/sizes/app.md. `-- --modules web` lists the modules of the first page.
 */
import { writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";

const ROOT = resolve(import.meta.dirname, "..");
const PAGE = join(ROOT, "docs/internals/sizes/app.md");

const APPS = [
  { name: "web", html: "index.html" },
  { name: "studio", html: "studio.html" },
] as const;

/** Maximum compressed bytes of what every page loads, including all wallet code, without fonts and API responses. */
export const FIRST_LOAD_LIMIT = 185_000;

export interface FirstLoad {
  /** `web` or `studio`. */
  name: string;
  /** Compressed bytes: the document, its scripts, its styles. */
  html: number;
  scripts: number;
  styles: number;
  total: number;
  /** Number of files that the document requests. */
  files: number;
  /** Bytes of the Latin font, which does not block rendering. */
  font: number;
  /** Compressed bytes by file below the workspace, estimated from the share in its chunk, the heaviest first. */
  modules: { file: string; bytes: number }[];
  /** The additional bytes of each lazy page, the heaviest first. */
  pages: { name: string; bytes: number }[];
}

type Output = Rolldown.RolldownOutput["output"][number];

if (import.meta.main) await main(process.argv.slice(2));

async function main([option, requestedName]: string[]): Promise<void> {
  const loads = await measureApps();
  if (option === "--modules") {
    const load = loads.find(({ name }) => name === requestedName);
    if (!load) throw new Error(`--modules takes one of ${loads.map(({ name }) => name).join(", ")}`);
    for (const { file, bytes } of load.modules) console.log(`${String(bytes).padStart(8)}  ${file}`);
    return;
  }
  writeFileSync(PAGE, renderPage(loads));
  console.log(`${renderPage(loads)}\n${relative(ROOT, PAGE)} is written`);
}

/** Builds the apps for production in memory, and measures the output. */
export async function measureApps(): Promise<FirstLoad[]> {
  // Development builds of libraries are larger.
  process.env.NODE_ENV = "production";
  const loads: FirstLoad[] = [];
  for (const { name, html } of APPS) {
    const root = join(ROOT, "apps", name);
    const built = await build({ root, logLevel: "silent", build: { write: false } });
    if (Array.isArray(built) || !("output" in built))
      throw new Error(`the build of ${name} is not one output`);
    loads.push(firstLoad(built.output, name, html));
  }
  return loads;
}

function firstLoad(files: readonly Output[], name: string, html: string): FirstLoad {
  const document = files.find(({ fileName }) => fileName === html);
  const entry = files.find(
    (file) => file.type === "chunk" && file.facadeModuleId?.endsWith(`/apps/${name}/${html}`),
  );
  if (document?.type !== "asset" || entry?.type !== "chunk") throw new Error(`the build has no ${html}`);
  const initialChunks = staticImports(entry, files);
  // Vite writes the entry's static imports and styles into the document.
  const requestedFiles = [...String(document.source).matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(
    ([, path]) => path,
  );
  const styles = files.filter(
    ({ fileName }) => fileName.endsWith(".css") && requestedFiles.includes(fileName),
  );
  const sizes = { html: gzipSize([document]), scripts: gzipSize(initialChunks), styles: gzipSize(styles) };
  return {
    name,
    ...sizes,
    total: sizes.html + sizes.scripts + sizes.styles,
    files: requestedFiles.length,
    font: fontSize(files),
    modules: initialChunks.flatMap(moduleSizes).sort((a, b) => b.bytes - a.bytes),
    pages: pagesOf(files, initialChunks, name),
  };
}

function pagesOf(
  files: readonly Output[],
  initialChunks: readonly Output[],
  name: string,
): FirstLoad["pages"] {
  const folder = `/apps/${name}/src/pages/`;
  return files
    .flatMap((file) => {
      const module = file.type === "chunk" && file.isDynamicEntry ? file.facadeModuleId : null;
      if (file.type !== "chunk" || !module?.includes(folder)) return [];
      const added = staticImports(file, files).filter((each) => !initialChunks.includes(each));
      return [{ name: module.slice(module.indexOf(folder) + folder.length), bytes: gzipSize(added) }];
    })
    .sort((a, b) => b.bytes - a.bytes);
}

/** The chunk and its static imports. */
function staticImports(entry: Rolldown.OutputChunk, files: readonly Output[]): Rolldown.OutputChunk[] {
  const chunks = new Set([entry]);
  for (const chunk of chunks) {
    for (const name of chunk.imports) {
      const imported = files.find(({ fileName }) => fileName === name);
      if (imported?.type === "chunk") chunks.add(imported);
    }
  }
  return [...chunks];
}

function gzipSize(files: readonly Output[]): number {
  const compressed = (file: Output) =>
    gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 }).length;
  return files.reduce((sum, file) => sum + compressed(file), 0);
}

function fontSize(files: readonly Output[]): number {
  const font = files.find(({ fileName }) => /inter-latin-wght-normal.*\.woff2$/.test(fileName));
  return font?.type === "asset" ? font.source.length : 0;
}

function moduleSizes(chunk: Rolldown.OutputChunk): FirstLoad["modules"] {
  const modules = Object.entries(chunk.modules).filter(([, { renderedLength }]) => renderedLength > 0);
  const totalLength = modules.reduce((sum, [, { renderedLength }]) => sum + renderedLength, 0);
  const bytes = gzipSize([chunk]);
  return modules.map(([file, { renderedLength }]) => ({
    file: relative(ROOT, file),
    bytes: Math.round((renderedLength / totalLength) * bytes),
  }));
}

function renderPage(loads: readonly FirstLoad[]): string {
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  const firstLoadRows = loads.map(
    ({ name, html, scripts, styles, total, files, font }) =>
      `| ${name} | ${[scripts, styles, html, total].map(kilobytes).join(" | ")} | ${files} | ${kilobytes(font)} |`,
  );
  const added = loads.map(({ name, pages }) => {
    const rows = pages.map(({ name: page, bytes }) => `| \`${page}\` | ${kilobytes(bytes)} |`);
    return `## Additional size of the ${name}'s pages\n\n| Page | Size |\n| --- | ---: |\n${rows.join("\n")}\n`;
  });
  return `# App bundle sizes

Compressed with gzip; 1 kB is 1000 bytes. The first load is what a browser requests for every page, including all wallet code; its limit is ${kilobytes(FIRST_LOAD_LIMIT)}, held by \`npm test\`. The font loads after it; text is readable before.
\`npm run sizes:app\` writes this page.

| | scripts | styles | document | first load | files | font |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${firstLoadRows.join("\n")}

${added.join("\n")}`;
}
