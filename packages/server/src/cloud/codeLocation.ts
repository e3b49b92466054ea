import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const TYPESCRIPT = /\.[mc]?ts$/;

/** A program that fails as Node.js does if the types of a file cannot be removed. */
const REMOVE_TYPES =
  "const { stripTypeScriptTypes } = require('node:module'); stripTypeScriptTypes(require('node:fs').readFileSync(process.argv[1], 'utf8'));";

/**
 * Where loading code failed, as `/path/main.ts:3:8`: in the first of its files that the stack names, or for an error of
 * syntax without a place in the one that cannot be parsed. Undefined if nothing names a place.
 */
export function codeLocation(error: unknown, files: readonly string[]): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const lines = (error.stack ?? "").split("\n");
  const found = markedLocation(lines) ?? frameLocation(lines, new Set(files));
  if (found !== undefined || !(error instanceof SyntaxError)) return found;
  // Node.js names the place of JavaScript modules only when the error ends a program.
  for (const file of files.toReversed()) {
    const problem = TYPESCRIPT.test(file) ? undefined : syntaxProblem(file);
    if (problem) return problem.location;
  }
  return undefined;
}

/** Why a file of code cannot be parsed, and where; undefined if it can. Runs nothing of it. */
export function syntaxProblem(file: string): { location: string; message: string } | undefined {
  const args = TYPESCRIPT.test(file) ? ["--eval", REMOVE_TYPES, file] : ["--check", file];
  const { status, stderr } = spawnSync(process.execPath, ["--no-warnings", ...args], {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  if (status === 0) return undefined;
  const lines = stderr.split("\n");
  const message = lines.find((line) => /^\w*Error\b/.test(line)) ?? stderr.trim();
  const first = lines.findIndex((line) => line.startsWith(`${file}:`) || /^:\d+$/.test(line));
  // The end of a file has no mark.
  const line = /:\d+$/.exec(lines[first] ?? "")?.[0] ?? "";
  return { location: markedLocation(lines.slice(first), file) ?? file + line, message };
}

/** The place in front of a quoted line: `/path/main.ts:3`, the line and marks below it. */
function markedLocation(lines: readonly string[], file?: string): string | undefined {
  const [first = ""] = lines;
  const [, path, line] = /^(.*):(\d+)$/.exec(first) ?? [];
  const marks = lines.slice(1, 5).find((text) => /^\s*\^+\s*$/.test(text));
  if (path === undefined || marks === undefined) return undefined;
  return `${file ?? pathOf(path)}:${line}:${marks.indexOf("^") + 1}`;
}

function frameLocation(lines: readonly string[], files: ReadonlySet<string>): string | undefined {
  for (const text of lines) {
    const [, path, place] = /^\s+at (?:.*\()?(.+?)(:\d+:\d+)\)?$/.exec(text) ?? [];
    if (path !== undefined && files.has(pathOf(path))) return pathOf(path) + place;
  }
  return undefined;
}

function pathOf(place: string): string {
  return place.startsWith("file:") ? fileURLToPath(place) : place;
}
