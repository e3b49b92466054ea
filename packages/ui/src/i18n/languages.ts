import type { Messages } from "@lingui/core";
import en from "./en.json" with { type: "json" };
import { languageCodeOf } from "./matchLanguage.ts";

/**
 * The catalogs of an app or a package, by the code of the language. English texts are in the code: the English catalog has
 * those with plurals, which the build compiles. The other catalogs load if they are needed.
 */
export interface Catalogs {
  readonly en: Messages;
  readonly [code: string]: Messages | (() => Promise<Messages>);
}

export interface Language {
  /** ISO 639-1 code, the name of the catalogs. */
  code: string;
  /** The native name of the language. */
  name: string;
}

export const LANGUAGES: readonly Language[] = [
  { code: "en", name: "English" },
  { code: "de", name: "Deutsch" },
  { code: "es", name: "Español" },
  { code: "fr", name: "Français" },
  { code: "ja", name: "日本語" },
  // In simplified characters.
  { code: "zh", name: "简体中文" },
];

/** The catalogs of this package's texts; the apps have their own besides. */
export const UI_CATALOGS: Catalogs = {
  en,
  de: () => import("./de.json").then((file) => file.default),
  es: () => import("./es.json").then((file) => file.default),
  fr: () => import("./fr.json").then((file) => file.default),
  ja: () => withCjkStyles(import("./ja.json")),
  zh: () => withCjkStyles(import("./zh.json")),
};

/** Loads the fonts and rules for Chinese characters with a catalog. */
async function withCjkStyles(file: Promise<{ default: Messages }>): Promise<Messages> {
  const [{ default: messages }] = await Promise.all([file, import("../styles/cjk.css")]);
  return messages;
}

const STORAGE_KEY = "purse/language";

/** The language stored in this browser, if any. */
export function storedLanguage(): string | undefined {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores the language in this browser; undefined restores the system language. */
export function storeLanguage(code: string | undefined): void {
  try {
    if (code === undefined) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, code);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

/** The preferred languages, best first. Regions are kept for number and date formats. */
export function preferredLanguages(
  chosen = storedLanguage(),
  browserLanguages: readonly string[] = navigator.languages,
): readonly string[] {
  if (!LANGUAGES.some(({ code }) => code === chosen) || chosen === undefined) return browserLanguages;
  return [...browserLanguages.filter((language) => languageCodeOf(language) === chosen), chosen];
}
