/** A search param of a route: the text, or undefined if it is missing or empty. */
export function stringParam(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The same of a param that the router parses as a number if it looks like one. */
export function scalarParam(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : stringParam(value);
}
