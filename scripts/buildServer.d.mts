import type { OutputChunk } from "rolldown";

export interface BundleOptions {
  isWritten: boolean;
  /** The program in `scripts`: `purse` by default. */
  program?: "purse" | "cli";
  /** Two levels below the folder that has the other files which the program reads. */
  dir?: string;
  sourcemap?: boolean;
}

/** Bundles the server, or another program, and returns its files; writes them only if that is wanted. */
export function bundleServer(options: BundleOptions): Promise<OutputChunk[]>;
