/**
 * Returns the beginning of a text, of up to `maxLength` UTF-16 code units, that every database can store: without NUL and
 * without the half of a surrogate pair that is cut at its end.
 */
export function storableText(text: string, maxLength: number): string {
  return text.slice(0, maxLength).toWellFormed().replaceAll("\0", "\u{fffd}");
}
