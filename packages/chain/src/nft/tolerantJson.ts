const [QUOTE, BACKSLASH, COMMA] = ['"', "\\", ","];
const SIMPLE_ESCAPES = '"\\/bfnrt';
const UNICODE_ESCAPE = /u[0-9a-fA-F]{4}/y;
const LAST_COMMA = /,\s*[\]}]/y;

/**
 * Repairs JSON that contracts and their tools have written by hand: raw line breaks and tabs in strings, escapes of
 * other languages (`\'`), commas behind the last item. What is valid stays the same.
 */
export function repairJson(text: string): string {
  let result = "";
  let isInString = false;
  /** What is before this position is in the result already. */
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    let replacement: string | undefined;
    let length = 1;
    if (character === QUOTE) isInString = !isInString;
    else if (!isInString) {
      if (character === COMMA && matchesAt(LAST_COMMA, text, at)) replacement = "";
    } else if (character === BACKSLASH) {
      length = text.startsWith("\r\n", at + 1) ? 3 : 2;
      replacement = repairEscape(text, at + 1);
    } else if (isControl(character)) replacement = escapeControl(character);
    if (replacement !== undefined) {
      result += text.slice(copied, at) + replacement;
      copied = at + length;
    }
    at += length - 1;
  }
  return result + text.slice(copied);
}

/** What stands for an escape whose backslash is before a position; undefined for a valid one. */
function repairEscape(text: string, at: number): string | undefined {
  const escaped = text[at] ?? "";
  if (SIMPLE_ESCAPES.includes(escaped) || matchesAt(UNICODE_ESCAPE, text, at)) return undefined;
  // A backslash at the end of a line continues the text in the next one, as in JavaScript.
  if (escaped === "\n" || escaped === "\r") return "";
  return isControl(escaped) ? escapeControl(escaped) : escaped;
}

/** A zero is no character of a text, but shows that there is none. */
function isControl(character: string): boolean {
  return character > "\0" && character < " ";
}

function escapeControl(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Integers of this length may have more digits than a number keeps. */
const LONG_INTEGER = /\d{16}/;

/** Puts integers of valid JSON that numbers would round into quotes. */
export function quoteLongIntegers(json: string): string {
  if (!LONG_INTEGER.test(json)) return json;
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) && String(Number(token)) !== token ? `"${token}"` : token,
  );
}
