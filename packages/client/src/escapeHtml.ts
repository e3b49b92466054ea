const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
  "/": "&#x2F;",
};

/** A value as text that is safe in HTML; empty for nothing. */
export function escapeHtml(value: unknown): string {
  return String(value ?? "").replace(/[&<>'"/]/g, (character) => ENTITIES[character] ?? character);
}
