/** The index of the item of an array that a key of a path writes to; undefined for other keys. */
export function itemIndex(key: string): number | undefined {
  return /^(0|[1-9]\d*)$/.test(key) ? Number(key) : undefined;
}
