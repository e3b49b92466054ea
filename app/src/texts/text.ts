import { baseOf, LANGUAGES, type Part, type Translation, wantedLanguages } from "./languages.ts";

export type Values = Readonly<Record<string, string | number>>;

/** What pages say, in the language of the person who reads. */
export interface Texts {
  /** BCP 47, as `en` or `de-CH`: also the language of numbers and dates. */
  readonly language: string;
  /** The sentence with `{name}` replaced by the value of that name; English where there is no translation. */
  t(sentence: string, values?: Values): string;
  /** The form for so many, by the language's rules of plurals; `{n}` is the number as the language writes it. */
  count(n: number, one: string, other: string): string;
}

export function createTexts(language: string, translation: Translation = {}): Texts {
  const plurals = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  function t(sentence: string, values: Values = {}): string {
    const said = translation[sentence] || sentence;
    return said.replace(/\{(\w+)\}/g, (place, name: string) => {
      const value = values[name];
      return value === undefined ? place : typeof value === "number" ? numbers.format(value) : value;
    });
  }
  return { language, t, count: (n, one, other) => t(plurals.select(n) === "one" ? one : other, { n }) };
}

/** The texts of a part in the first wanted language that there are texts in; numbers and dates as its region has them. */
export async function loadTexts(part: Part, wanted: readonly string[] = wantedLanguages()): Promise<Texts> {
  for (const language of wanted) {
    const known = LANGUAGES.find(({ code }) => code === baseOf(language));
    if (known?.code === "en") return createTexts(language);
    const load = known?.load[part];
    if (load) {
      // A page in English is better than none.
      const translation = await load().catch(() => undefined);
      return translation ? createTexts(language, translation) : createTexts("en");
    }
  }
  return createTexts("en");
}
