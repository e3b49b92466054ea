/** Of longer names, more letters may differ: one in this many. */
const LETTERS_PER_ERROR = 4;

/**
 * The known name that was probably meant by a mistyped one: the one with the fewest wrong, missing, additional or swapped
 * letters, if these are not too many. Case is ignored.
 */
export function closestName(mistyped: string, known: Iterable<string>): string | undefined {
  let best: { name: string; errors: number } | undefined;
  for (const name of known) {
    const most = Math.floor(Math.max(mistyped.length, name.length) / LETTERS_PER_ERROR);
    const errors = errorsBetween(mistyped.toLowerCase(), name.toLowerCase());
    if (errors <= most && errors < (best?.errors ?? Number.POSITIVE_INFINITY)) best = { name, errors };
  }
  return best?.name;
}

/** A question to append to the message about a mistyped name; empty if nothing is similar. */
export function didYouMean(mistyped: string, known: Iterable<string>): string {
  const name = closestName(mistyped, known);
  return name === undefined ? "" : `: did you mean ${name}?`;
}

/** The optimal string alignment distance. */
function errorsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
