import type { ObjectText } from "../objectText.ts";

/** The database sorts the keys of what it stores. A quotation mark within a string has a backslash before it. */
const STORED_DATE = /\{"iso": "([^"\\]*)", "__type": "Date"\}/g;

/**
 * Returns the text of an object with its dates as Parse Server writes them: `{"__type":"Date","iso":…}`. The SDK of Moralis
 * for Unity finds them by a pattern, before it parses the text.
 */
export function withWireDates(text: ObjectText): ObjectText {
  return text.includes('{"iso": "') ? text.replace(STORED_DATE, '{"__type":"Date","iso":"$1"}') : text;
}
