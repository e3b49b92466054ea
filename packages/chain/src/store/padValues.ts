/** Repeats the last item up to a power of two, so that few statements serve lists of any length. */
export function padValues<T>(items: readonly T[]): T[] {
  const last = items.at(-1);
  const missing = 2 ** Math.ceil(Math.log2(Math.max(1, items.length))) - items.length;
  return last === undefined ? [] : [...items, ...Array.from({ length: missing }, () => last)];
}
