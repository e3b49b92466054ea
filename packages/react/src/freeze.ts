/** Freezes lists and plain objects through and through; objects of classes stay as they are. */
export function freezeDeep<T>(value: T): T {
  if (!isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const each of Object.values(value)) freezeDeep(each);
  return value;
}

/** The content of parameters as text: the same for the same content, whatever the order of the keys. */
export function shapeOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === "bigint") return `${each}n`;
    if (!isPlain(each) || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
