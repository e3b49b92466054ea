/*
 * `npm run texts`: lists the messages of the apps that each language lacks, and its translations that are no longer used.
 * `-- --write` adds the missing ones to the files as empty texts (shown in English until they are translated) and removes
 * the unused ones. `-- --bare` lists untranslated text in pages.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import { BUNDLE_FOLDERS, BUNDLES, type Bundle, readAppTexts } from "./appTexts.ts";

/** A message that takes a parser. */
const PLURAL = /\{\w+, (plural|selectordinal|select),/;
const ROOT = resolve(import.meta.dirname, "..");

export interface TranslationStatus {
  /** ISO 639-1. */
  code: string;
  /** The file of translations, below the project. */
  file: string;
  /** Untranslated sentences, each with the files that use it. */
  missing: [sentence: string, saidIn: string[]][];
  /** Translations of unused sentences. */
  stale: string[];
  /**
   * Translations whose arguments differ from those of their sentence, that lack a plural form of the language, or that are no
   * valid ICU messages.
   */
  mismatched: string[];
}

if (import.meta.main) main(process.argv.slice(2));

function main([option]: string[]): void {
  if (option === "--bare") {
    for (const text of readAppTexts().hardcoded) console.log(text);
    return;
  }
  const all = translationStatuses();
  for (const status of all) {
    const { file, missing, stale, mismatched } = status;
    console.log(
      `${file}: ${missing.length} missing, ${stale.length} stale, ${mismatched.length} with other arguments`,
    );
    for (const [sentence, usedIn] of missing) console.log(`  missing    ${sentence}    (${usedIn[0]})`);
    for (const sentence of stale) console.log(`  stale      ${sentence}`);
    for (const sentence of mismatched) console.log(`  arguments  ${sentence}`);
  }
  if (option === "--write") writeAll(all);
}

/** The status of each bundle in each language. */
export function translationStatuses(): TranslationStatus[] {
  const { usages } = readAppTexts();
  return languageCodes().flatMap((code) => BUNDLES.map((bundle) => statusOf(code, bundle, usages[bundle])));
}

function statusOf(code: string, bundle: Bundle, allUsages: ReadonlyMap<string, string[]>): TranslationStatus {
  const file = fileOf(code, bundle);
  // The English texts are in the code; their catalog has those that the build has to compile.
  const usages = code === "en" ? new Map([...allUsages].filter(([text]) => PLURAL.test(text))) : allUsages;
  const translation = read(file);
  return {
    code,
    file,
    missing: [...usages].filter(([sentence]) => !translation[sentence]),
    stale: Object.keys(translation).filter((sentence) => !usages.has(sentence)),
    mismatched: Object.entries(translation).flatMap(([sentence, translated]) =>
      translated !== "" &&
      (argumentsOf(sentence) !== argumentsOf(translated) || missingPluralForms(translated, code).length > 0)
        ? [sentence]
        : [],
    ),
  };
}

/** The languages that any bundle has a translation for, as ISO 639-1 codes. */
function languageCodes(): string[] {
  const files = Object.values(BUNDLE_FOLDERS).map((folder) => `${folder}/i18n/*.json`);
  return [...new Set(globSync(files, { cwd: ROOT }).map((file) => basename(file, ".json")))].sort();
}

function fileOf(code: string, bundle: Bundle): string {
  return `${BUNDLE_FOLDERS[bundle]}/i18n/${code}.json`;
}

function read(file: string): Record<string, string> {
  return existsSync(join(ROOT, file)) ? JSON.parse(readFileSync(join(ROOT, file), "utf8")) : {};
}

function writeAll(all: readonly TranslationStatus[]): void {
  const before = new Map(all.map(({ file }) => [file, read(file)]));
  for (const { code, file, missing, stale } of all) {
    const translation = { ...before.get(file) };
    for (const sentence of stale) delete translation[sentence];
    // A sentence may have moved between the bundles, with its translation.
    const known = BUNDLES.map((bundle) => before.get(fileOf(code, bundle)) ?? {});
    for (const [sentence] of missing)
      translation[sentence] =
        code === "en" ? sentence : (known.find((each) => each[sentence])?.[sentence] ?? "");
    const sorted = Object.fromEntries(Object.entries(translation).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(join(ROOT, file), `${JSON.stringify(sorted, null, 2)}\n`);
    console.log(`${file} is written`);
  }
}

/** The names of the arguments of a message, or what is wrong with it. */
function argumentsOf(message: string): string {
  try {
    const tokens = compileMessageOrThrow(message);
    const names = tokens.flatMap((token) => (typeof token === "string" ? [] : [token[0]]));
    return [...new Set(names)].sort().join(", ");
  } catch (error) {
    return String(error);
  }
}

/** The plural forms of a language that a message lacks, such as the French `many` of a million. */
export function missingPluralForms(message: string, code: string): string[] {
  const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
  const missingIn = (tokens: ReturnType<typeof compileMessageOrThrow>): string[] =>
    tokens.flatMap((token) => {
      if (typeof token === "string") return [];
      const [, format, options] = token;
      if (typeof options !== "object" || options === null) return [];
      const nested = Object.values(options).flatMap((each) => (Array.isArray(each) ? missingIn(each) : []));
      return format === "plural" ? [...forms.filter((form) => !(form in options)), ...nested] : nested;
    });
  return missingIn(compileMessageOrThrow(message));
}
