/** Sentences of one language, by the English sentence that the code says. */
export type Translation = Readonly<Record<string, string>>;
/** The app and the studio have a file of translations each. */
export type Namespace = "app" | "studio";

export interface Language {
  /** ISO 639-1. */
  code: string;
  /** In its own words. */
  name: string;
  /** Its translations, loaded where they are wanted; a part without any is said in English. */
  load: Partial<Record<Namespace, () => Promise<Translation>>>;
}

export const LANGUAGES: readonly Language[] = [
  { code: "en", name: "English", load: {} },
  {
    code: "de",
    name: "Deutsch",
    load: {
      app: () => import("./de.json").then((file) => file.default),
      // The studio has parts of the app in it, with their sentences.
      studio: async () => {
        const [app, studio] = await Promise.all([import("./de.json"), import("./de.studio.json")]);
        return { ...app.default, ...studio.default };
      },
    },
  },
];

const STORAGE_KEY = "purse/language";

/** The language that was chosen in this browser, if one was. */
export function storedLanguage(): string | undefined {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers the choice in this browser; undefined goes by the browser's own languages again. */
export function storeLanguage(code: string | undefined): void {
  try {
    if (code === undefined) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, code);
  } catch {
    // Storage may be switched off: the choice then lasts as long as the page.
  }
}

/** What to look for texts in, the best first: regions are kept, for numbers and dates. */
export function preferredLanguages(
  chosen = storedLanguage(),
  browserLanguages: readonly string[] = navigator.languages,
): readonly string[] {
  if (chosen === undefined) return browserLanguages;
  return [...browserLanguages.filter((language) => baseLanguageOf(language) === chosen), chosen];
}

/** `de` of `de-CH`. */
export function baseLanguageOf(language: string): string {
  return language.toLowerCase().split("-", 1)[0] ?? "";
}
