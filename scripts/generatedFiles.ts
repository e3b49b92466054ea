import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");

/**
 * Writes the files that a script generates, by path in the repository. With `--check` it writes nothing, and this
 * process fails if a file is stale.
 */
export function writeGenerated(
  script: string,
  files: readonly (readonly [path: string, text: string])[],
): void {
  const stale = files.filter(([path, text]) => {
    const target = join(ROOT, path);
    return !existsSync(target) || readFileSync(target, "utf8") !== text;
  });
  const isCheck = process.argv.includes("--check");
  for (const [path, text] of stale) {
    if (!isCheck) writeFileSync(join(ROOT, path), text);
    else console.error(`${path} is stale: run \`node scripts/run.mjs scripts/${script}\``);
  }
  if (isCheck && stale.length > 0) process.exitCode = 1;
  console.log(`${script}: ${stale.length} of ${files.length} generated files stale`);
}

/** A source as the formatter writes it, with sorted imports. */
export function formatSource(path: string, text: string): string {
  const { status, stdout, stderr } = spawnSync(
    join(ROOT, "node_modules/.bin/biome"),
    ["check", "--write", `--stdin-file-path=${path}`],
    { cwd: ROOT, input: text, encoding: "utf8" },
  );
  if (status !== 0 && !stdout) throw new Error(`biome refuses the text: ${stderr}`);
  return stdout;
}
