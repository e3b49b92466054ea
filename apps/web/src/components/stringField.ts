/** The text of an attribute of an object; empty if it has none. */
export function stringField(value: unknown): string {
  return typeof value === "string" ? value : "";
}
