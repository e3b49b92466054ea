import { type Messages, setupI18n } from "@lingui/core";
import { type Catalogs, preferredLanguages, UI_CATALOGS } from "./languages.ts";
import { matchLanguage } from "./matchLanguage.ts";
import { compilePlaceholders } from "./placeholders.ts";

type Values = Readonly<Record<string, string | number>>;

/** The values that a message known at compile time demands. */
type Arguments<Message extends string> = Message extends `${infer Before}{${infer Argument}}${infer Rest}`
  ? ArgumentOf<Before, Argument> & Arguments<Rest>
  : unknown;

/** The value of an argument. The forms of a plural, such as `one {# row}`, are not arguments. */
type ArgumentOf<
  Before extends string,
  Argument extends string,
> = Before extends `${string}${"zero" | "one" | "two" | "few" | "many" | "other"} `
  ? unknown
  : Argument extends `${infer Name}, plural, ${string}` | `${infer Name}, number`
    ? Readonly<Record<Name, number>>
    : Readonly<Record<Argument, string>>;

/** A message with arguments demands their values; other messages take none that the compiler could check. */
type ValuesOf<Message extends string> = string extends Message
  ? [values?: Values]
  : unknown extends Arguments<Message>
    ? []
    : [values: Values & Arguments<Message>];

/** Translates texts to the language of the user. */
export interface Translator {
  /** BCP 47 tag such as `en`, `de-CH` or `zh-Hans-CN`, also used for numbers and dates. */
  readonly language: string;
  /**
   * Translates a message, which is the English text in ICU message format: `{name}` for a text, `{n, number}` for a number,
   * `{n, plural, one {# row} other {# rows}}` for a text that depends on a number. Returns the English text if there is no
   * translation.
   */
  t<const Message extends string>(message: Message, ...values: ValuesOf<Message>): string;
}

/** A translator by Lingui with the plural forms, number formats and translations of a language. */
export function createTranslator(language: string, translations: Messages = {}): Translator {
  const i18n = setupI18n({ locale: language, messages: { [language]: translations } });
  // The build compiles the catalogs. Lingui compiles messages while developing.
  if (import.meta.env.PROD) i18n.setMessagesCompiler(compilePlaceholders);
  return {
    language,
    // A text without values and translation stays as it is: messages of servers may contain braces.
    t: (message: string, values?: Values) =>
      values || Object.hasOwn(translations, message) ? i18n._(message, values) : message,
  };
}

/**
 * Loads the translations for the best available language, with the number and date formats of its region. `catalogs` are
 * those of the app.
 */
export async function loadTranslator(
  catalogs: Catalogs,
  languages: readonly string[] = preferredLanguages(),
): Promise<Translator> {
  const english = { ...UI_CATALOGS.en, ...catalogs.en };
  const match = matchLanguage(languages, (code) => Object.hasOwn(catalogs, code));
  if (!match) return createTranslator("en", english);
  const load = catalogs[match.code];
  if (typeof load !== "function") return createTranslator(match.tag, english);
  try {
    const [ui, app] = await Promise.all([loadUi(match.code), load()]);
    return createTranslator(match.tag, { ...english, ...ui, ...app });
  } catch {
    // The texts are English if a catalog cannot be loaded.
    return createTranslator("en", english);
  }
}

async function loadUi(code: string): Promise<Messages> {
  const catalog = UI_CATALOGS[code];
  return typeof catalog === "function" ? catalog() : {};
}
