/** A value of the config file as the environment would have it. */
export function textFromFile(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.join(",") : String(value);
}
