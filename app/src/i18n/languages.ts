/** Translations by their key, the English text in the code. */
export type Translation = Readonly<Record<string, string>>;
/** The app and the studio have separate translation files. */
export type Namespace = "app" | "studio";

export interface Language {
  /** ISO 639-1 code. */
  code: string;
  /** The native name of the language. */
  name: string;
  /** Loads the translations on demand. Without a loader the namespace is in English. */
  load: Partial<Record<Namespace, () => Promise<Translation>>>;
}

export const LANGUAGES: readonly Language[] = [
  { code: "en", name: "English", load: {} },
  {
    code: "de",
    name: "Deutsch",
    load: {
      app: () => import("./de.json").then((file) => file.default),
      // The studio uses components of the app, with their texts.
      studio: async () => {
        const [app, studio] = await Promise.all([import("./de.json"), import("./de.studio.json")]);
        return { ...app.default, ...studio.default };
      },
    },
  },
];

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
  if (chosen === undefined) return browserLanguages;
  return [...browserLanguages.filter((language) => baseLanguageOf(language) === chosen), chosen];
}

/** The base language, such as `de` of `de-CH`. */
export function baseLanguageOf(language: string): string {
  return language.toLowerCase().split("-", 1)[0] ?? "";
}
