/** A program of the system. */
interface Program {
  name?: string;
  /** Where it may be. */
  paths: readonly string[];
  debianPackage: string;
  /** The variable of the environment that names it. */
  variable?: string;
}
type NamedProgram = Required<Program>;
export const CHROMIUM: NamedProgram;
export const VALKEY: NamedProgram;
export const PGBOUNCER: NamedProgram;
/** Returns the path of a program; installs Debian's package if it is missing. Undefined if that is impossible. */
export function ensureProgram(program: Program): string | undefined;
/** Whether tests can use a program; `npm test` says at its end which ones were missing. */
export function hasProgram(program: NamedProgram): boolean;
/** Has `npm test` say at its end what the skipped tests need. */
export function noteMissing(text: string): void;
