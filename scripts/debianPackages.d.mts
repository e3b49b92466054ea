/** Returns the first of these programs that exists; installs the package if none does. Undefined if that is impossible. */
export function ensureProgram(paths: readonly string[], debianPackage: string): string | undefined;
