/** UUID v4; written out because `crypto.randomUUID` is missing on plain-http pages. */
export function uuid(): string {
  const random = crypto.getRandomValues(new Uint8Array(36));
  // The version is 4; of the four possible variants always "a" is used.
  return "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx".replace(/x/g, (_, at) =>
    ((random[at] ?? 0) & 15).toString(16),
  );
}
