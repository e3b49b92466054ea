/** Statements that sessions keep prepared, at most; what clients' queries come to has no end of shapes. */
const MAX_PREPARED = 2_000;
/** Longer texts are neither prepared nor remembered, in characters. */
const MAX_TEXT = 8_000;
/** Texts that are remembered, at most. */
const MAX_KNOWN = 10_000;

interface Known {
  numbered: string;
  /** Under which sessions prepare it; only what is used again is prepared. */
  name: string | undefined;
}

const known = new Map<string, Known>();
let prepared = 0;

/** A statement as PostgreSQL wants it: `$1`, `$2`, … for each `?`. No text that we make has one that is no parameter. */
export function preparedStatement(text: string): Known {
  const found = known.get(text);
  if (found) {
    if (found.name === undefined && prepared < MAX_PREPARED) {
      prepared += 1;
      found.name = `purse_${prepared}`;
    }
    return found;
  }
  let count = 0;
  const numbered = text.replaceAll("?", () => `$${++count}`);
  const entry: Known = { numbered, name: undefined };
  if (text.length > MAX_TEXT) return entry;
  if (known.size >= MAX_KNOWN) forgetUnprepared();
  known.set(text, entry);
  return entry;
}

/** A name stays with its text: sessions have prepared it. */
function forgetUnprepared(): void {
  for (const [text, { name }] of known) if (name === undefined) known.delete(text);
}
