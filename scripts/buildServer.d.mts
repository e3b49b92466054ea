export interface BundleOptions {
  /** The paths of the programs in the project: `packages/cli/src/purse.ts` by default. */
  programs?: readonly string[];
  /** Two levels below the folder that has the other files which the program reads. */
  dir?: string;
  sourcemap?: boolean;
}

/** The file with what each chunk of the server consists of: a list of `fileName`, `imports` and `moduleIds`. */
export const chunkList: string;

/** Bundles the server, or other programs. */
export function bundleServer(options?: BundleOptions): Promise<void>;
