/** Converts a file name to one that servers accept: word characters, spaces, dots and dashes. */
export function safeName(name: string): string {
  const plain = name.replace(/[^\w .@-]+/g, "_").replace(/^[^A-Za-z0-9_]+/, "");
  return plain.slice(-100) || "file";
}
