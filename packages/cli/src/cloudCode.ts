import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

/** First line of files that `save-cloud-code` writes; other files are not overwritten. */
const HEADER = "// Written by `npm run purse -- save-cloud-code`: changes are lost.";

export interface CloudCodeOptions {
  /** A folder whose .js files are joined, in the order of their paths, or a file. */
  source: string;
  /** The file that the server loads. */
  out: string;
}

/** Joins the files of cloud code, which share their variables as in the hosted service. Throws Error. */
export function saveCloudCode({ source, out }: CloudCodeOptions): string {
  const files = statSync(source).isDirectory() ? filesIn(source, resolve(out)) : [source];
  if (files.length === 0) throw new Error(`${source} has no .js files`);
  if (existsSync(out) && !readFileSync(out, "utf8").startsWith(HEADER))
    throw new Error(`${out} exists and was written by somebody else: choose another file with --out`);
  const parts = files.map((file) => `// ${relative(dirname(out), file)}\n${readFileSync(file, "utf8")}`);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${[HEADER, ...parts].join("\n")}\n`);
  return `${out}: ${files.length} ${files.length === 1 ? "file" : "files"}`;
}

/** Saves the code now and after each change, until the signal aborts. */
export async function watchCloudCode(
  options: CloudCodeOptions,
  print: (text: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const out = resolve(options.out);
  const changes = watch(options.source, { recursive: true, ...(signal && { signal }) });
  print(saveCloudCode(options));
  try {
    for await (const { filename } of changes) {
      if (filename !== null && resolve(options.source, filename) === out) continue;
      // A file may have been removed since, or is being written.
      try {
        print(saveCloudCode(options));
      } catch (error) {
        print(error instanceof Error ? error.message : String(error));
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

function filesIn(folder: string, excluded: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?js$/.test(name) && !name.includes("node_modules"))
    .map((name) => join(folder, name))
    .filter((file) => resolve(file) !== excluded)
    .sort();
}
