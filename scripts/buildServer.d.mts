import type { OutputChunk } from "rolldown";

export interface BundleOptions {
  isWritten: boolean;
  /** The paths of the programs in the project: `packages/cli/src/purse.ts` by default. */
  programs?: readonly string[];
  /** Two levels below the folder that has the other files which the program reads. */
  dir?: string;
  sourcemap?: boolean;
}

/** Bundles the server, or other programs, and returns their files; writes them only if `isWritten` is true. */
export function bundleServer(options: BundleOptions): Promise<OutputChunk[]>;
