/** A search param of a route: the text, or undefined if it is missing or empty. */
export function stringParam(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
