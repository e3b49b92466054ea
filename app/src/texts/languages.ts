/** Sentences of one language, by the English sentence that the code says. */
export type Translation = Readonly<Record<string, string>>;
/** The app and the studio have a file of translations each. */
export type Part = "app" | "studio";

export interface Language {
  /** ISO 639-1. */
  code: string;
  /** In its own words. */
  name: string;
  /** Its translations, loaded where they are wanted; a part without any is said in English. */
  load: Partial<Record<Part, () => Promise<Translation>>>;
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

const KEY = "purse/language";

/** The language that was chosen in this browser, if one was. */
export function chosenLanguage(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers the choice in this browser; undefined goes by the browser's own languages again. */
export function keepLanguage(code: string | undefined): void {
  try {
    if (code === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, code);
  } catch {
    // Storage may be switched off: the choice then lasts as long as the page.
  }
}

/** What to look for texts in, the best first: regions are kept, for numbers and dates. */
export function wantedLanguages(
  chosen = chosenLanguage(),
  ofBrowser: readonly string[] = navigator.languages,
): readonly string[] {
  if (chosen === undefined) return ofBrowser;
  return [...ofBrowser.filter((language) => baseOf(language) === chosen), chosen];
}

/** `de` of `de-CH`. */
export function baseOf(language: string): string {
  return language.toLowerCase().split("-", 1)[0] ?? "";
}
