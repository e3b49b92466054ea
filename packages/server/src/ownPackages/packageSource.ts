/** A part of the packages that is built on its own: those for apps, or the `purse` command. */
export type PackagePart = "apps" | "command";

/** There are no packages, or they cannot be built. Its message is for clients. */
export class PackagesUnavailableError extends Error {}

/** Where the packages of this server's version are. */
export interface PackageSource {
  /**
   * Returns the folder of a part with `index.json` and the files that it lists; builds it first where that is possible.
   * Rejects with PackagesUnavailableError if there is none.
   */
  open(part: PackagePart): Promise<string>;
}
