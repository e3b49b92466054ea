/* The texts of the apps, read from their sources, to be compared with the translations in the folders `i18n`. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";

const ROOT = resolve(import.meta.dirname, "..");
/** The page of the design system is for developers, in English; tests show no texts to users. */
const EXCLUDED_FILES = ["**/pages/Design.tsx", "**/test/**", "**/*.test.ts", "**/*.test.tsx"];
/** Attributes whose text is shown or read aloud. */
const TEXT_ATTRIBUTES =
  /^(label|title|about|detail|hint|problem|message|placeholder|alt|aria-label|aria-description)$/;

/** Looks like a sentence but is not translated: SVG paths, messages for developers, texts of other programs. */
const NOT_TRANSLATABLE =
  /^M\d|^\{ |is for pages inside|Invalid MFA token|^Object as |^(POST|PUT|DELETE) |^\?$|^M \d|^ipfs|^dweb|^ERC\d+$|^(English|Deutsch|Español|Français|日本語|简体中文|MetaMask|Coinbase Wallet|Rainbow|Trust|WalletConnect|Magic|light|dark|text|done)$|could not be marked/;
const SENTENCE = /^\p{Lu}[\p{L}\p{N}’'-]*[,:;…]? .*\p{L}|^\p{Lu}\p{Ll}+[.…]$/u;

/** The sources that have translation files of their own. */
export const BUNDLES = ["ui", "web", "studio"] as const;
export type Bundle = (typeof BUNDLES)[number];
/** The sources of each bundle, below the root; their translations are in the folder `i18n`. */
export const BUNDLE_FOLDERS: Readonly<Record<Bundle, string>> = {
  ui: "packages/ui/src",
  web: "apps/web/src",
  studio: "apps/studio/src",
};

export interface AppTexts {
  /** The files that use a sentence, by the sentence. One that several bundles use belongs to `ui`, which all of them load. */
  usages: Record<Bundle, Map<string, string[]>>;
  /** Untranslated text in pages, as `file:line text`. */
  hardcoded: string[];
}

/** Reads the sources of all bundles; throws an Error if a file cannot be parsed. */
export function readAppTexts(): AppTexts {
  const hardcoded: string[] = [];
  const folders = Object.values(BUNDLE_FOLDERS).map((folder) => `${folder}/**/*.{ts,tsx}`);
  const files = globSync(folders, { cwd: ROOT, exclude: EXCLUDED_FILES }).sort();
  const filesBySentence = new Map<string, string[]>();
  const namedLiterals: { name: string; file: string; literals: string[] }[] = [];
  const referencedNames = new Set<string>();
  const add = (sentence: string, file: string) => {
    const usedIn = filesBySentence.get(sentence) ?? [];
    if (!usedIn.includes(file)) filesBySentence.set(sentence, [...usedIn, file]);
  };
  for (const file of files) {
    const source = readFileSync(join(ROOT, file), "utf8");
    const { program, errors } = parseSync(file, source);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
    const lineOf = (at: number) => source.slice(0, at).split("\n").length;
    const isText = (text: string) => /\p{L}{2}/u.test(text);
    const visitor = new Visitor({
      CallExpression({ callee, arguments: args }) {
        const name = calleeOf(callee);
        if (name !== "t" && name !== "usePageTitle") return;
        for (const argument of args.slice(0, 1)) {
          const literals = literalsOf(argument);
          for (const sentence of literals) add(sentence, file);
          if (literals.length === 0)
            for (const each of referencedNamesIn(argument)) referencedNames.add(each);
        }
      },
      VariableDeclarator({ id, init }) {
        if (id.type === "Identifier" && init)
          namedLiterals.push({ name: id.name, file, literals: literalsIn(init) });
      },
      Property({ key, value }) {
        if (key.type === "Identifier")
          namedLiterals.push({ name: key.name, file, literals: literalsOf(value) });
      },
      Literal({ value }) {
        if (typeof value === "string" && SENTENCE.test(value) && !NOT_TRANSLATABLE.test(value))
          add(value, file);
      },
      JSXText({ value, start }) {
        const text = value.trim();
        if (isText(text)) hardcoded.push(`${file}:${lineOf(start)} ${text}`);
      },
      JSXAttribute({ name, value }) {
        if (name.type !== "JSXIdentifier" || !TEXT_ATTRIBUTES.test(name.name) || value?.type !== "Literal")
          return;
        if (typeof value.value === "string" && isText(value.value))
          hardcoded.push(`${file}:${lineOf(value.start)} ${value.value}`);
      },
    });
    visitor.visit(program);
  }
  // `t(LABELS[key])` uses the texts of the constant of that name, `t(label)` those of properties of that name.
  for (const { name, file, literals } of namedLiterals)
    if (referencedNames.has(name))
      for (const sentence of literals) if (!NOT_TRANSLATABLE.test(sentence)) add(sentence, file);
  const usages: AppTexts["usages"] = { ui: new Map(), web: new Map(), studio: new Map() };
  for (const [sentence, usedIn] of filesBySentence) {
    const [bundle = "ui", ...others] = BUNDLES.filter((each) =>
      usedIn.some((file) => file.startsWith(`${BUNDLE_FOLDERS[each]}/`)),
    );
    usages[others.length > 0 ? "ui" : bundle].set(sentence, usedIn);
  }
  return { usages, hardcoded };
}

function calleeOf(callee: ESTree.Expression): string | undefined {
  if (callee.type === "Identifier") return callee.name;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier"
    ? callee.property.name
    : undefined;
}

/** The texts that an expression contains literally. */
function literalsOf(node: ESTree.Node): string[] {
  switch (node.type) {
    case "Literal":
      return typeof node.value === "string" && node.value !== "" ? [node.value] : [];
    case "TemplateLiteral":
      return node.expressions.length === 0 ? [node.quasis[0]?.value.cooked ?? ""] : [];
    case "ConditionalExpression":
      return [...literalsOf(node.consequent), ...literalsOf(node.alternate)];
    case "LogicalExpression":
      return [...literalsOf(node.left), ...literalsOf(node.right)];
    case "TSAsExpression":
    case "ParenthesizedExpression":
      return literalsOf(node.expression);
    default:
      return [];
  }
}

/** The names of the constants and properties that an expression takes its text from. */
function referencedNamesIn(node: ESTree.Node): string[] {
  if (node.type === "Identifier") return [node.name];
  if (node.type === "MemberExpression")
    return [...referencedNamesIn(node.object), ...(node.computed ? [] : referencedNamesIn(node.property))];
  if (node.type === "ConditionalExpression")
    return [...referencedNamesIn(node.consequent), ...referencedNamesIn(node.alternate)];
  return node.type === "LogicalExpression"
    ? [...referencedNamesIn(node.left), ...referencedNamesIn(node.right)]
    : [];
}

function literalsIn(node: ESTree.Node): string[] {
  const found: string[] = [];
  collect(node, found);
  return found;
}

/** Values of a constant that is a text, a list or a table of texts; its keys and what functions in it do are none. */
function collect(node: ESTree.Node, found: string[]): void {
  if (node.type === "ObjectExpression") {
    for (const each of node.properties) if (each.type === "Property") collect(each.value, found);
  } else if (node.type === "ArrayExpression") {
    for (const each of node.elements) if (each) collect(each, found);
  } else if (node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression") {
    collect(node.expression, found);
  } else found.push(...literalsOf(node));
}
