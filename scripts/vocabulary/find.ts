import { lineAt, type SyntaxNode, visitSource } from "../syntaxTree.ts";
import { EXEMPT_FILES, FOREIGN_TEXT, IDENTIFIERS, type IdentifierRule, PHRASES } from "./rules.ts";

/** A refused term in a file. */
export interface Finding {
  /** The name of the term in reports. */
  term: string;
  file: string;
  /** From 1; 0 for the file's name itself. */
  line: number;
  /** The identifier, or the line of text. */
  text: string;
  use: string;
}

/** The refused terms of a TypeScript or JavaScript file: in its path, its identifiers and, in the app, its texts. */
export function findInSource(file: string, source: string): Finding[] {
  if (EXEMPT_FILES.test(file)) return [];
  const findings = findInPath(file);
  const seen = new Set<string>();
  const hasTexts = /^(apps\/[^/]+|packages\/ui)\/src\//.test(file) && !/\.test\.tsx?$/.test(file);
  const lineOf = (at: number) => lineAt(source, at);
  visitSource(file, source, (node) => {
    const name = nameOf(node);
    if (name !== undefined && !seen.has(name)) {
      seen.add(name);
      for (const { words, use } of refusedIn(name, file))
        findings.push({ term: words, file, line: lineOf(node.start), text: name, use });
    }
    const text = hasTexts ? textOf(node) : undefined;
    if (text !== undefined && isProse(text))
      for (const { name: term, use } of phrasesIn(text))
        findings.push({ term: `“${term}”`, file, line: lineOf(node.start), text: text.trim(), use });
  });
  return findings;
}

/** The refused phrases of a Markdown page, outside of code. */
export function findInPage(file: string, page: string): Finding[] {
  if (FOREIGN_TEXT.test(file)) return [];
  let isCode = false;
  return page.split("\n").flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode) return [];
    return phrasesIn(line.replaceAll(/`[^`]*`/g, "``")).map(({ name, use }) => ({
      term: `“${name}”`,
      file,
      line: index + 1,
      text: line.trim(),
      use,
    }));
  });
}

/** The refused terms in the names of a file and its folders. */
function findInPath(file: string): Finding[] {
  const names = file.split("/").map((name) => name.replace(/\..*$/, ""));
  return names.flatMap((name) =>
    refusedIn(name, file).map(({ words, use }) => ({ term: words, file, line: 0, text: name, use })),
  );
}

/** The rules that an identifier breaks in some folder: most identifiers are in many files. */
const rulesByIdentifier = new Map<string, IdentifierRule[]>();

function refusedIn(identifier: string, file: string): IdentifierRule[] {
  let rules = rulesByIdentifier.get(identifier);
  if (!rules) {
    rules = IDENTIFIERS.filter((rule) => matches(rule, identifier));
    rulesByIdentifier.set(identifier, rules);
  }
  return rules.filter(
    (rule) =>
      (rule.in?.some((folder) => isBelow(file, folder)) ?? true) &&
      !Object.keys(rule.allowed ?? {}).some((folder) => isBelow(file, folder)),
  );
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}

function matches(
  { words, position = "anywhere", case: wanted }: IdentifierRule,
  identifier: string,
): boolean {
  if (position === "whole")
    return (
      identifier === words || (wordsOf(identifier).join(" ") === words.toLowerCase() && words.includes(" "))
    );
  if (wanted === "Pascal" && !/^[A-Z][a-z0-9]/.test(identifier)) return false;
  if (wanted === "UPPER" && !/^[A-Z0-9_]+$/.test(identifier)) return false;
  const own = ` ${wordsOf(identifier).join(" ")} `;
  if (position === "suffix") return own.endsWith(` ${words} `) && own !== ` ${words} `;
  if (position === "prefix") return own.startsWith(` ${words} `) && own !== ` ${words} `;
  return own.includes(` ${words} `);
}

/** `createDataDoor2` has the words create, data, door, 2. */
export function wordsOf(identifier: string): string[] {
  return identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)?.map((word) => word.toLowerCase()) ?? [];
}

function phrasesIn(text: string) {
  return PHRASES.filter(({ pattern }) => {
    pattern.lastIndex = 0;
    return pattern.test(text);
  });
}

/** Whether users may read it: not a module, a class of CSS or a key. */
function isProse(text: string): boolean {
  return /\p{Lu}|\s/u.test(text) && !/^\.{0,2}\//.test(text);
}

function nameOf(node: SyntaxNode): string | undefined {
  if (typeof node.name !== "string") return undefined;
  if (node.type === "PrivateIdentifier") return `#${node.name}`;
  return node.type === "Identifier" || node.type === "JSXIdentifier" ? node.name : undefined;
}

function textOf(node: SyntaxNode): string | undefined {
  const { type, value } = node;
  if ((type === "Literal" || type === "JSXText") && typeof value === "string") return value;
  if (type !== "TemplateElement" || typeof value !== "object" || value === null) return undefined;
  return "cooked" in value && typeof value.cooked === "string" ? value.cooked : undefined;
}
