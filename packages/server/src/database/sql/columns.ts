const COLUMNS: Readonly<Record<string, string>> = {
  objectId: "id",
  createdAt: "created_at",
  updatedAt: "updated_at",
};

/** Returns the column of a field that is not stored in the document. */
export function columnOf(path: readonly string[]): string | undefined {
  const [field = ""] = path;
  return path.length === 1 && Object.hasOwn(COLUMNS, field) ? COLUMNS[field] : undefined;
}
