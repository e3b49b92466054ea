import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
/** The folders of the apps' texts, and of those that both share. */
const FOLDERS = ["packages/ui", "apps/web", "apps/studio"];

/** All translations of a language, by their English text. */
export function translationsOf(code: string): Readonly<Record<string, string>> {
  const files = FOLDERS.map((folder) => readFileSync(resolve(ROOT, folder, `src/i18n/${code}.json`), "utf8"));
  return Object.assign({}, ...files.map((file) => JSON.parse(file)));
}

/** A function that translates texts of the apps; it throws Error if one has no translation. */
export function translatorOf(code: string): (text: string) => string {
  const translations = translationsOf(code);
  return (text) => {
    const translation = translations[text];
    if (!translation) throw new Error(`${code}.json has no translation of ${JSON.stringify(text)}`);
    return translation;
  };
}
