/** As many as the next power of two: few texts serve lists of any length. */
export function marks(count: number): string {
  return Array.from({ length: paddedLength(count) }, () => "?").join(", ");
}

/** A list as long as its marks: the last item again and again. */
export function padded<T>(items: readonly T[]): T[] {
  const last = items.at(-1);
  const missing = paddedLength(items.length) - items.length;
  return last === undefined ? [] : [...items, ...Array.from({ length: missing }, () => last)];
}

function paddedLength(count: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, count)));
}
