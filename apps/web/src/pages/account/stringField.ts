export function stringField(value: unknown): string {
  return typeof value === "string" ? value : "";
}
