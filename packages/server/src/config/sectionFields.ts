type Section = Record<string, unknown>;

/** Checks that a section of the config file is an object without unknown keys. Throws Error. */
export function sectionOf(value: unknown, keys: readonly string[]): Section {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`it must be an object with ${keys.join(", ")}`);
  }
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not known; known are ${keys.join(", ")}`);
  return { ...value };
}

export function stringField(section: Section, key: string): string | undefined {
  const value = section[key];
  if (value === undefined || typeof value === "string") return value;
  throw new Error(`${key} must be a string`);
}

export function booleanField(section: Section, key: string, fallback: boolean): boolean {
  const value = section[key];
  if (value === undefined) return fallback;
  if (typeof value === "boolean") return value;
  throw new Error(`${key} must be true or false`);
}

export function numberField(section: Section, key: string, min: number, max: number): number | undefined {
  const value = section[key];
  if (value === undefined) return undefined;
  if (typeof value === "number" && value >= min && value <= max) return value;
  throw new Error(`${key} must be a number from ${min} to ${max}`);
}
