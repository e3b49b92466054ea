import type { OutputChunk } from "rolldown";

export interface BundleOptions {
  isWritten: boolean;
  /** The path of the program in the project: `scripts/purse.ts` by default. */
  program?: string;
  /** Two levels below the folder that has the other files which the program reads. */
  dir?: string;
  sourcemap?: boolean;
}

/** Bundles the server, or another program, and returns its files; writes them only if `isWritten` is true. */
export function bundleServer(options: BundleOptions): Promise<OutputChunk[]>;
