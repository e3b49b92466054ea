import { ErrorCode, ProtocolError, type TextSearch } from "@purse/protocol";

/** A parsed search term: words of which at least one must match, phrases that must all match, and excluded words. */
export interface SearchTerms {
  words: string[];
  phrases: string[];
  excluded: string[];
}

/** Parses `coffee "con leche" -decaf`. */
export function parseSearchTerms(term: string): SearchTerms {
  const found: SearchTerms = { words: [], phrases: [], excluded: [] };
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

/** Removes accents from a text, as the text indexes do. */
export function removeAccents(text: string): string {
  return text.normalize("NFD").replaceAll(/[\u0300-\u036f]/g, "");
}

/**
 * Returns a pattern that texts must match in addition to the index, which ignores case and accents; undefined if the
 * search ignores both, too.
 */
export function exactPattern(search: TextSearch): { source: string; flags: string } | undefined {
  if (!search.caseSensitive && !search.diacriticSensitive) return undefined;
  const { words, phrases } = parseSearchTerms(search.term);
  const required = phrases.length > 0 ? phrases : words;
  const source = required.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\-]/g, "\\$&")).join("|");
  return { source: `(?:${source})`, flags: search.caseSensitive ? "" : "i" };
}

/** Names of text search languages in PostgreSQL, by the codes that clients send. */
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

/** Returns the name of the language. Throws 102 if it is unknown. */
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
