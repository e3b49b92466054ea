/*
 * Refuses long sentences on the pages for operators, who read them in a hurry, as part of `npm run check`.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const PAGES = "docs/deploy/*.md";
const MAX_WORDS = 30;

if (import.meta.main) {
  const files = globSync(PAGES, { cwd: ROOT }).sort();
  const problems = files.flatMap((file) =>
    longSentences(readFileSync(join(ROOT, file), "utf8")).map(({ line, words, text }) => {
      return `${file}:${line}: ${words} words: ${text}`;
    }),
  );
  for (const problem of problems) console.error(problem);
  console.log(`sentences: ${files.length} pages, ${problems.length} with more than ${MAX_WORDS} words`);
  if (problems.length > 0) process.exitCode = 1;
}

export interface LongSentence {
  /** Of the first line of its paragraph. */
  line: number;
  words: number;
  text: string;
}

/**
 * The sentences of a page that are too long: in paragraphs, list items and cells of tables. Code and quoted titles (`*…*`)
 * count as one word, and a colon ends a sentence.
 */
export function longSentences(markdown: string): LongSentence[] {
  return paragraphsOf(markdown).flatMap(({ line, text }) =>
    text
      .replaceAll(/`[^`]*`/g, "code")
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/(?<![*\w])\*[^*]+\*(?!\*)/g, "title")
      .split(/(?<=[.:!?])\s+/)
      .map((sentence) => ({ line, words: sentence.split(/\s+/).filter(Boolean).length, text: sentence }))
      .filter(({ words }) => words > MAX_WORDS),
  );
}

/** Paragraphs, list items and cells, without code blocks and comments. */
function paragraphsOf(markdown: string): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = [];
  let isCode = false;
  let isOpen = false;
  const blank = (text: string) => text.replaceAll(/[^\n]/g, "");
  const lines = markdown.replaceAll(/<!--[\s\S]*?-->/g, blank).split("\n");
  for (const [index, line] of lines.entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isText = !isCode && /\w/.test(line) && !/^\s*(```|#)/.test(line);
    const last = found.at(-1);
    if (!isText) isOpen = false;
    else if (line.startsWith("|")) {
      found.push(...line.split(/(?<!\\)\|/).map((text) => ({ line: index + 1, text })));
      isOpen = false;
    } else if (isOpen && last && !/^\s*([-*]|\d+\.) /.test(line)) last.text += ` ${line.trim()}`;
    else {
      found.push({ line: index + 1, text: line.replace(/^\s*([-*]|\d+\.) /, "") });
      isOpen = true;
    }
  }
  return found;
}
