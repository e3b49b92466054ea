/** Error codes of missing write permissions. */
const NOT_WRITABLE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"]);

/** Replaces the error of a folder that cannot be written with a helpful one; returns other errors unchanged. */
export function asFolderError(error: unknown, folder: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!NOT_WRITABLE.has(code)) return error;
  return new Error(
    `The folder ${folder} cannot be written (${code}). Give the user that runs Purse write permission, or choose ` +
      "another folder with --data-dir.",
  );
}
