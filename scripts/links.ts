/*
 * Checks the documentation's links, as part of `npm run check`: relative links and pictures of Markdown files lead to
 * files, their fragments to headings, and paths of the repository that are named in code spans exist.
 */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const PAGES = ["*.md", "docs/**/*.md", "packages/*/README.md"];
/** Generated pages of measurements and test names, and history: what they name may be gone. */
const WITHOUT_PATH_CHECK = /^(docs\/internals\/|CHANGELOG)/;
/** Fragments of the headings of the pages that were read. */
const anchors = new Map<string, Set<string>>();

if (import.meta.main) {
  const files = PAGES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort();
  const problems = files.flatMap((file) => linkProblems(file));
  for (const problem of problems) console.error(problem);
  console.log(`links: ${files.length} pages, ${problems.length} problems`);
  if (problems.length > 0) process.exit(1);
}

/** The broken links of one page as `file:line: what`. */
export function linkProblems(file: string, root = ROOT): string[] {
  const problems: string[] = [];
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode) continue;
    const at = `${file}:${index + 1}`;
    const prose = line.replaceAll(/`[^`]*`/g, "");
    for (const target of targetsOf(prose)) {
      const problem = targetProblem(target, file, root);
      if (problem) problems.push(`${at}: ${problem}`);
    }
    if (WITHOUT_PATH_CHECK.test(file)) continue;
    for (const [, path = ""] of line.matchAll(
      /`((?:packages|app|scripts|tests|bench|docs|cloud|plugins)\/[\w./-]+)`/g,
    )) {
      if (!existsSync(join(root, path))) problems.push(`${at}: there is no ${path}`);
    }
  }
  return problems;
}

/** Targets of `[text](target)`, `![alt](target)`, `src="target"` and `srcset="target"`. */
function targetsOf(line: string): string[] {
  return [...line.matchAll(/\]\(([^()\s]+)\)|\b(?:src|srcset|href)="([^"\s]+)"/g)].map(
    ([, inline, attribute]) => inline ?? attribute ?? "",
  );
}

function targetProblem(target: string, file: string, root: string): string | undefined {
  if (/^(https?:|mailto:)/.test(target)) return undefined;
  const [path = "", fragment] = target.split("#");
  const inDocs = file.startsWith("docs/");
  // The site serves docs/ alone; TypeDoc writes /api.
  if (inDocs && path.startsWith("/api/")) return undefined;
  const absolute = path.startsWith("/") ? join(root, "docs", path) : join(root, dirname(file), path);
  const candidates =
    path === "" ? [join(root, file)] : [absolute, `${absolute}.md`, join(absolute, "index.md")];
  const found = candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
  if (found === undefined) {
    const isFolder = existsSync(absolute) && !inDocs;
    return isFolder ? undefined : `${target} leads nowhere`;
  }
  if (inDocs && relative(join(root, "docs"), found).startsWith(".."))
    return `${target} leads out of docs/, which the site does not serve`;
  if (fragment === undefined || !found.endsWith(".md")) return undefined;
  return anchorsOf(found).has(fragment) ? undefined : `${target}: there is no such heading`;
}

function anchorsOf(file: string): Set<string> {
  const known = anchors.get(file);
  if (known) return known;
  const found = new Set<string>();
  let isCode = false;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6}\s+(.*)$/.exec(line)?.[1];
    if (heading !== undefined) found.add(slug(heading));
  }
  anchors.set(file, found);
  return found;
}

/** The fragment of a heading, as both GitHub and VitePress make it of headings with plain words. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[`*]/g, "")
    .replaceAll(/[^\p{Letter}\p{Number}\s-]/gu, "")
    .trim()
    .replaceAll(/\s+/g, "-");
}
