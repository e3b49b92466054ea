const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
  "/": "&#x2F;",
};

/** Escapes a value for HTML; null and undefined become an empty string. */
export function escapeHtml(value: unknown): string {
  return String(value ?? "").replace(/[&<>'"/]/g, (character) => ENTITIES[character] ?? character);
}
