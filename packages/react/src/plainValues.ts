/** Freezes lists and plain objects deeply; instances of classes are not frozen. */
export function freezeDeep<T>(value: T): T {
  if (!isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeDeep(item);
  return value;
}

/** Serializes parameters with sorted keys, so that equal content has the same key. */
export function contentKey(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return `${item}n`;
    if (!isPlain(item) || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * What a dependency is compared by: lists and plain objects by their content, since components make new ones in each
 * rendering; everything else by identity.
 */
export function contentOf(dependency: unknown): unknown {
  if (!isPlain(dependency)) return dependency;
  try {
    return contentKey(dependency);
  } catch {
    // It contains itself.
    return dependency;
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
