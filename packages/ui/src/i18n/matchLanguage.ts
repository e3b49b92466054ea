/** A language of the texts, with the tag for its numbers and dates. */
export interface LanguageMatch {
  /** The code of the catalogs. */
  code: string;
  /** BCP 47 tag for the document, numbers and dates: with the reader's region, and with the script if the language has several. */
  tag: string;
}

interface PreferredLanguage {
  tag: string;
  language: string;
  script: string | undefined;
  region: string | undefined;
}

/** The scripts of catalogs whose language is written in several. Chinese texts are in simplified characters. */
const SCRIPTS: Readonly<Record<string, string>> = { zh: "Hans" };

/**
 * The first preferred language, a BCP 47 tag, that is available in its script. If there is none, texts in another script of a
 * preferred language are better than English: most readers of traditional Chinese can read simplified characters.
 */
export function matchLanguage(
  preferred: readonly string[],
  isAvailable: (code: string) => boolean,
): LanguageMatch | undefined {
  const available = parseLanguages(preferred).filter(({ language }) => isAvailable(language));
  const match = available.find(isInScriptOfCatalog) ?? available[0];
  if (!match) return undefined;
  const { language, region, tag } = match;
  const script = SCRIPTS[language];
  return { code: language, tag: script ? [language, script, region].filter(Boolean).join("-") : tag };
}

/** The code of the catalogs that a language tag means, unless they are in another script: `de` of `de-CH`, `zh` of `zh-SG`. */
export function languageCodeOf(tag: string): string | undefined {
  const [language] = parseLanguages([tag]);
  return language && isInScriptOfCatalog(language) ? language.language : undefined;
}

/** The tag of a language without a region, for the `lang` attribute. */
export function languageTagOf(code: string): string {
  return matchLanguage([code], () => true)?.tag ?? code;
}

function isInScriptOfCatalog({ language, script }: PreferredLanguage): boolean {
  return SCRIPTS[language] === undefined || SCRIPTS[language] === script;
}

/** Tags that are not valid are left out. */
function parseLanguages(tags: readonly string[]): PreferredLanguage[] {
  const languages: PreferredLanguage[] = [];
  for (const tag of tags) {
    try {
      const locale = new Intl.Locale(tag);
      const { language, region } = locale;
      // Browsers add the base language to one with a region: the `zh` in `zh-TW, zh` is not another one in simplified characters.
      const isBase = locale.script === undefined && region === undefined;
      const specific = isBase && languages.find((each) => each.language === language);
      const { script } = specific || locale.maximize();
      languages.push({ tag, language, script, region });
    } catch {
      // For example the `C` of a POSIX locale.
    }
  }
  return languages;
}
