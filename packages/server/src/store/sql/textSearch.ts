import { ErrorCode, ProtocolError, type TextSearch } from "@purse/protocol";

/** The parts of a search term: words of which one must be there, phrases that all must, words that must not. */
export interface SearchWords {
  words: string[];
  phrases: string[];
  excluded: string[];
}

/** Reads `coffee "con leche" -decaf`. */
export function searchWords(term: string): SearchWords {
  const found: SearchWords = { words: [], phrases: [], excluded: [] };
  for (const [, phrase, word] of term.matchAll(/"([^"]*)"|(\S+)/g)) {
    const text = (phrase ?? word ?? "").replaceAll(/[^\p{L}\p{M}\p{N}_'’.-]+/gu, " ").trim();
    if (phrase !== undefined) {
      if (text !== "") found.phrases.push(text);
    } else if (text.startsWith("-")) {
      if (text.length > 1) found.excluded.push(text.slice(1));
    } else if (/[\p{L}\p{N}]/u.test(text)) found.words.push(text);
  }
  return found;
}

/** Text with its accents taken off, as the text indexes hold it. */
export function withoutAccents(text: string): string {
  return text.normalize("NFD").replaceAll(/[\u0300-\u036f]/g, "");
}

/**
 * The pattern that a text has to fit beside the index, which knows neither case nor accents;
 * undefined where the search asks for neither.
 */
export function exactPattern(search: TextSearch): { source: string; flags: string } | undefined {
  if (!search.caseSensitive && !search.diacriticSensitive) return undefined;
  const { words, phrases } = searchWords(search.term);
  const asked = phrases.length > 0 ? phrases : words;
  const source = asked.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\-]/g, "\\$&")).join("|");
  return { source: `(?:${source})`, flags: search.caseSensitive ? "" : "i" };
}

/** Text search languages by the names that clients send, as PostgreSQL calls them. */
const LANGUAGES: Readonly<Record<string, string>> = {
  da: "danish",
  nl: "dutch",
  en: "english",
  fi: "finnish",
  fr: "french",
  de: "german",
  hu: "hungarian",
  it: "italian",
  nb: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  es: "spanish",
  sv: "swedish",
  tr: "turkish",
  none: "simple",
};

const LANGUAGE_NAMES: ReadonlySet<string> = new Set(Object.values(LANGUAGES));

/** The language's name. Throws 102 for one that is not known. */
export function languageOf({ language }: TextSearch): string {
  if (language === undefined || language === "") return "english";
  const name = language.toLowerCase();
  const known = Object.hasOwn(LANGUAGES, name)
    ? LANGUAGES[name]
    : LANGUAGE_NAMES.has(name)
      ? name
      : undefined;
  if (known) return known;
  throw new ProtocolError(
    ErrorCode.INVALID_QUERY,
    `bad $text: $language, "${language.slice(0, 32)}" is not known; use ${[...LANGUAGE_NAMES].join(", ")}`,
  );
}
