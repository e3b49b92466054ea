/** Maximum number of prepared statements, since clients' queries can have any number of shapes. */
const MAX_PREPARED = 2_000;
/** Maximum length of statements that are cached and prepared. */
const MAX_TEXT_LENGTH = 8_000;
/** Maximum number of cached statements. */
const MAX_CACHED = 10_000;

interface CachedStatement {
  numberedText: string;
  /** Name of the prepared statement; statements are only prepared on their second use. */
  name: string | undefined;
}

const cache = new Map<string, CachedStatement>();
let prepared = 0;

/** Returns a statement with `$1`, `$2`, … in place of each `?`. Statements contain `?` only as parameters. */
export function preparedStatement(text: string): CachedStatement {
  const cached = cache.get(text);
  if (cached) {
    if (cached.name === undefined && prepared < MAX_PREPARED) {
      prepared += 1;
      cached.name = `purse_${prepared}`;
    }
    return cached;
  }
  let count = 0;
  const numberedText = text.replaceAll("?", () => `$${++count}`);
  const entry: CachedStatement = { numberedText, name: undefined };
  if (text.length > MAX_TEXT_LENGTH) return entry;
  if (cache.size >= MAX_CACHED) evictUnprepared();
  cache.set(text, entry);
  return entry;
}

/** Prepared statements keep their names, since sessions may have prepared them. */
function evictUnprepared(): void {
  for (const [text, { name }] of cache) if (name === undefined) cache.delete(text);
}
