/** What systems answer where a user may not write. */
const NOT_WRITABLE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"]);

/** The error of a folder that cannot be written, in words for whoever runs the server; any other error as it is. */
export function asFolderError(error: unknown, folder: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!NOT_WRITABLE.has(code)) return error;
  return new Error(
    `The folder ${folder} cannot be written (${code}). Give the user that runs Purse the right to write it, or choose ` +
      "another one with --data-dir.",
  );
}
