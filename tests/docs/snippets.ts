import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

/** How a code block of a page is run. Comments that readers do not see say so where it is not obvious. */
export type Use =
  /** Part of a program, in the order of the page. */
  | { kind: "program" }
  /** Written to a file before the server starts: cloud code, settings, or what a later command runs. */
  | { kind: "file"; name: string }
  | { kind: "compiled"; reason: string }
  | { kind: "none"; reason: string };

/** A fenced code block. */
export interface Snippet {
  line: number;
  language: string;
  code: string;
  /** Code that readers do not see, which runs before. */
  hidden: string;
  use: Use;
}

export interface SnippetPage {
  /** Path in the repository. */
  path: string;
  /** Whether its blocks of a kind are one program, and not one each. */
  isOneProgram: boolean;
  snippets: Snippet[];
}

/** The languages whose blocks are run; the others show data or addresses. */
const RUN = ["sh", "js", "ts", "tsx", "html"];
const FENCE = /^( *)```([\w-]*)\n([\s\S]*?)^\1```$/gm;
const COMMENTS = /(?:<!--(?:(?!-->)[\s\S])*-->\s*)*$/;
const ONE_PROGRAM = "<!-- snippets: one program -->";
const FILE = "file: ";
const COMPILED = "only compiled: ";
const NOT_RUN = "not run: ";
const HIDDEN = "hidden code:\n";

/** The pages whose code blocks are run: what a newcomer copies. */
export function snippetPages(): SnippetPage[] {
  const paths = [
    "README.md",
    ...globSync("docs/{guide,migrate}/*.md", { cwd: ROOT }),
    "docs/reference/rest-api.md",
  ];
  return paths
    .filter((path) => existsSync(join(ROOT, path)))
    .sort()
    .map((path) => snippetPage(path, readFileSync(join(ROOT, path), "utf8")));
}

/** The code blocks of a page. Throws Error for a comment before a block that is not understood. */
export function snippetPage(path: string, markdown: string): SnippetPage {
  const snippets = [...markdown.matchAll(FENCE)].map((match) => {
    const [, , language = "", code = ""] = match;
    const before = markdown.slice(0, match.index);
    const line = before.split("\n").length;
    const comments = [...(COMMENTS.exec(before)?.[0] ?? "").matchAll(/<!--([\s\S]*?)-->/g)];
    const snippet: Snippet = {
      line,
      language,
      code,
      hidden: "",
      use: RUN.includes(language) ? { kind: "program" } : { kind: "none", reason: "shows data" },
    };
    for (const [, comment = ""] of comments) readComment(snippet, comment.trim(), `${path}:${line}`);
    return snippet;
  });
  return { path, isOneProgram: markdown.includes(ONE_PROGRAM), snippets };
}

function readComment(snippet: Snippet, comment: string, place: string): void {
  if (comment.startsWith(HIDDEN)) snippet.hidden += `${comment.slice(HIDDEN.length)}\n`;
  else if (comment.startsWith(FILE)) snippet.use = { kind: "file", name: comment.slice(FILE.length) };
  else if (comment.startsWith(COMPILED))
    snippet.use = { kind: "compiled", reason: comment.slice(COMPILED.length) };
  else if (comment.startsWith(NOT_RUN)) snippet.use = { kind: "none", reason: comment.slice(NOT_RUN.length) };
  else if (`<!-- ${comment} -->` !== ONE_PROGRAM)
    throw new Error(`${place}: "${comment}" before a code block is not known`);
}

/** Code that runs by itself. */
export interface Program {
  language: string;
  code: string;
  /** Of its first block. */
  line: number;
}

/** The programs of a page: of each block, or of all blocks of a language. */
export function programsOf({ isOneProgram, snippets }: SnippetPage, kind: "program" | "compiled"): Program[] {
  const programs: Program[] = [];
  for (const { language, code, hidden, line, use } of snippets) {
    if (use.kind !== kind) continue;
    const whole = hidden + code;
    const last = programs.find((each) => each.language === language);
    if (isOneProgram && last) last.code += whole;
    else programs.push({ language, code: whole, line });
  }
  return programs;
}

/** The texts of the files of a page; several blocks of cloud code are one file. Throws Error for two of one name. */
export function filesOf({ path, snippets }: SnippetPage): Map<string, string> {
  const files = new Map<string, string>();
  for (const { code, hidden, use } of snippets) {
    if (use.kind !== "file") continue;
    const earlier = files.get(use.name);
    if (earlier !== undefined && use.name !== "cloud/main.ts")
      throw new Error(`${path} has two files ${use.name}`);
    files.set(use.name, (earlier ?? "") + hidden + code);
  }
  return files;
}
