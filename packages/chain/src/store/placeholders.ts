/** Rounds up to a power of two, so that few statements serve lists of any length. */
export function placeholders(count: number): string {
  return Array.from({ length: paddedLength(count) }, () => "?").join(", ");
}

/** Repeats the last item to match the number of placeholders. */
export function padValues<T>(items: readonly T[]): T[] {
  const last = items.at(-1);
  const missing = paddedLength(items.length) - items.length;
  return last === undefined ? [] : [...items, ...Array.from({ length: missing }, () => last)];
}

function paddedLength(count: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, count)));
}
