import {
  baseLanguageOf,
  preferredLanguages,
  type Translation,
  type TranslationLoaders,
  UI_TRANSLATIONS,
} from "./languages.ts";

export type Values = Readonly<Record<string, string | number>>;

/** The names of the placeholders `{name}` of a key that is known at compile time. */
type Placeholder<Key extends string> = Key extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** A key with placeholders demands a value for each of them; other keys take none that the compiler could check. */
type ValuesOf<Key extends string> = string extends Key
  ? [values?: Values]
  : [Placeholder<Key>] extends [never]
    ? [values?: Values]
    : [values: Values & Readonly<Record<Placeholder<Key>, string | number>>];

/** Translates texts to the language of the user. */
export interface Translator {
  /** BCP 47 tag such as `en` or `de-CH`, also used for numbers and dates. */
  readonly language: string;
  /** Translates a key and replaces each `{name}` by its value. Returns the English key if there is no translation. */
  t<const Key extends string>(key: Key, ...values: ValuesOf<Key>): string;
  /** Selects the plural form for a number; `{n}` is replaced by the formatted number. */
  count(n: number, one: string, other: string): string;
}

export function createTranslator(language: string, translation: Translation = {}): Translator {
  const plurals = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  function t(key: string, values: Values = {}): string {
    const translated = translation[key] || key;
    return translated.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = values[name];
      return value === undefined ? placeholder : typeof value === "number" ? numbers.format(value) : value;
    });
  }
  return { language, t, count: (n, one, other) => t(plurals.select(n) === "one" ? one : other, { n }) };
}

/**
 * Loads the translations for the best available language, with the number and date formats of its region. `loaders` are
 * those of the app.
 */
export async function loadTranslator(
  loaders: TranslationLoaders,
  languages: readonly string[] = preferredLanguages(),
): Promise<Translator> {
  for (const language of languages) {
    const code = baseLanguageOf(language);
    if (code === "en") return createTranslator(language);
    const load = loaders[code];
    if (load) {
      // Falls back to English if a file fails to load.
      const translation = await Promise.all([UI_TRANSLATIONS[code]?.(), load()]).catch(() => undefined);
      if (!translation) return createTranslator("en");
      const [ui, app] = translation;
      return createTranslator(language, { ...ui, ...app });
    }
  }
  return createTranslator("en");
}
