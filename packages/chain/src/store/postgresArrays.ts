/**
 * Lists as text of PostgreSQL's arrays. They are parameters of `unnest()`, which takes much less time than JSON.
 */

/** An array of texts; `decode(item, 'hex')` are its bytes. The values are hex with 0x. */
export function hexArray(values: readonly string[]): string {
  return arrayOf(values.map((value) => value.slice(2)));
}

/** An array of numbers, as text or not. */
export function numberArray(values: readonly (number | bigint)[]): string {
  return arrayOf(values.map(String));
}

/** No item contains a character that needs quotes. */
function arrayOf(items: readonly string[]): string {
  return `{${items.map((item) => item || '""').join()}}`;
}
