/** Sentences of one language, by the English sentence that the code says. */
export type Translation = Readonly<Record<string, string>>;
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
    const said = translation[sentence] ?? sentence;
    return said.replace(/\{(\w+)\}/g, (place, name: string) => {
      const value = values[name];
      return value === undefined ? place : typeof value === "number" ? numbers.format(value) : value;
    });
  }
  return { language, t, count: (n, one, other) => t(plurals.select(n) === "one" ? one : other, { n }) };
}

/** The languages that the app is translated to, beside English. Each is loaded where it is wanted. */
const LANGUAGES: Readonly<Record<string, () => Promise<Translation>>> = {};

/** The texts in the first language of the browser that there are texts in; numbers and dates as that browser has them. */
export async function loadTexts(wanted: readonly string[] = navigator.languages): Promise<Texts> {
  for (const language of wanted) {
    const [base = ""] = language.toLowerCase().split("-", 1);
    if (base === "en") return createTexts(language);
    const load = Object.hasOwn(LANGUAGES, base) ? LANGUAGES[base] : undefined;
    if (load) return createTexts(language, await load());
  }
  return createTexts("en");
}
