import {
  baseLanguageOf,
  LANGUAGES,
  type Namespace,
  preferredLanguages,
  type Translation,
} from "./languages.ts";

export type Values = Readonly<Record<string, string | number>>;

/** What pages say, in the language of the person who reads. */
export interface Translator {
  /** BCP 47, as `en` or `de-CH`: also the language of numbers and dates. */
  readonly language: string;
  /** The sentence with `{name}` replaced by the value of that name; English where there is no translation. */
  t(key: string, values?: Values): string;
  /** The form for so many, by the language's rules of plurals; `{n}` is the number as the language writes it. */
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

/** The texts of a part in the first wanted language that there are texts in; numbers and dates as its region has them. */
export async function loadTranslator(
  namespace: Namespace,
  languages: readonly string[] = preferredLanguages(),
): Promise<Translator> {
  for (const language of languages) {
    const known = LANGUAGES.find(({ code }) => code === baseLanguageOf(language));
    if (known?.code === "en") return createTranslator(language);
    const load = known?.load[namespace];
    if (load) {
      // A page in English is better than none.
      const translation = await load().catch(() => undefined);
      return translation ? createTranslator(language, translation) : createTranslator("en");
    }
  }
  return createTranslator("en");
}
