/*
 * `npm run sizes:app`: what a browser loads for the first page of the web app and of the studio, and what each further page
 * adds, compressed; writes docs/internals/sizes/app.md. `-- --modules web` lists the modules of the first page.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { ensureAppsBuilt } from "./build.mjs";

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

/** A script of a build, as `apps/viteConfig.ts` lists them. */
interface Chunk {
  fileName: string;
  facadeModuleId: string | null;
  isDynamicEntry: boolean;
  imports: string[];
  modules: { id: string; renderedLength: number }[];
}

/** A built app. */
interface Build {
  name: string;
  chunks: readonly Chunk[];
  /** The names of all files. */
  files: readonly string[];
  read(file: string): Buffer;
}

if (import.meta.main) main(process.argv.slice(2));

function main([option, requestedName]: string[]): void {
  const loads = measureApps();
  if (option === "--modules") {
    const load = loads.find(({ name }) => name === requestedName);
    if (!load) throw new Error(`--modules takes one of ${loads.map(({ name }) => name).join(", ")}`);
    for (const { file, bytes } of load.modules) console.log(`${String(bytes).padStart(8)}  ${file}`);
    return;
  }
  writeFileSync(PAGE, renderPage(loads));
  console.log(`${renderPage(loads)}\n${relative(ROOT, PAGE)} is written`);
}

/** Measures the apps as they are built for production. */
export function measureApps(): FirstLoad[] {
  ensureAppsBuilt();
  return APPS.map(({ name, html }) => {
    const dist = join(ROOT, "apps", name, "dist");
    const chunks: Chunk[] = JSON.parse(readFileSync(join(ROOT, `.cache/${name}-chunks.json`), "utf8"));
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
    return firstLoad({ name, chunks, files, read: (file) => readFileSync(join(dist, file)) }, html);
  });
}

function firstLoad(build: Build, html: string): FirstLoad {
  const { name, chunks, files } = build;
  const entry = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/apps/${name}/${html}`));
  if (!entry || !files.includes(html)) throw new Error(`the build has no ${html}`);
  const initialChunks = staticImports(entry, chunks);
  // Vite writes the entry's static imports and styles into the document.
  const document = build.read(html).toString();
  const requestedFiles = [...document.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].flatMap(
    ([, path]) => path ?? [],
  );
  const sizes = {
    html: gzipSize(build, [html]),
    scripts: gzipSize(build, fileNames(initialChunks)),
    styles: gzipSize(
      build,
      requestedFiles.filter((file) => file.endsWith(".css")),
    ),
  };
  return {
    name,
    ...sizes,
    total: sizes.html + sizes.scripts + sizes.styles,
    files: requestedFiles.length,
    font: fontSize(build),
    modules: initialChunks
      .flatMap((chunk) => moduleSizes(build, chunk))
      .sort((one, other) => other.bytes - one.bytes),
    pages: pagesOf(build, initialChunks),
  };
}

function pagesOf(build: Build, initialChunks: readonly Chunk[]): FirstLoad["pages"] {
  const folder = `/apps/${build.name}/src/pages/`;
  return build.chunks
    .flatMap((chunk) => {
      const module = chunk.isDynamicEntry ? chunk.facadeModuleId : null;
      if (!module?.includes(folder)) return [];
      const added = staticImports(chunk, build.chunks).filter((each) => !initialChunks.includes(each));
      const name = module.slice(module.indexOf(folder) + folder.length);
      return [{ name, bytes: gzipSize(build, fileNames(added)) }];
    })
    .sort((one, other) => other.bytes - one.bytes);
}

/** The chunk and its static imports. */
function staticImports(entry: Chunk, all: readonly Chunk[]): Chunk[] {
  const chunks = new Set([entry]);
  for (const chunk of chunks) {
    for (const name of chunk.imports) {
      const imported = all.find(({ fileName }) => fileName === name);
      if (imported) chunks.add(imported);
    }
  }
  return [...chunks];
}

function fileNames(chunks: readonly Chunk[]): string[] {
  return chunks.map(({ fileName }) => fileName);
}

function gzipSize({ read }: Build, files: readonly string[]): number {
  return files.reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0);
}

function fontSize({ files, read }: Build): number {
  const font = files.find((file) => /inter-latin-wght-normal.*\.woff2$/.test(file));
  return font === undefined ? 0 : read(font).length;
}

function moduleSizes(build: Build, { fileName, modules }: Chunk): FirstLoad["modules"] {
  const totalLength = modules.reduce((sum, { renderedLength }) => sum + renderedLength, 0);
  const bytes = gzipSize(build, [fileName]);
  return modules.map(({ id, renderedLength }) => ({
    file: relative(ROOT, id),
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
