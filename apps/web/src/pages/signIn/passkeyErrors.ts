/** Whether the user has closed the browser's dialog for passkeys, or has none for this page. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && (error.name === "NotAllowedError" || error.name === "AbortError");
}
