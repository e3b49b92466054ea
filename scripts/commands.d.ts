import { type Progress } from "@purse/server";
/** Where a command runs, and where it says what it did. */
export interface CommandContext {
  env: Record<string, string | undefined>;
  cwd: string;
  progress: Progress;
  print(text: string): void;
}
/** Carries out `npm run purse -- …`. Throws Error, in words for whoever has typed it, for what cannot be done. */
export declare function runCommand(
  [command, ...args]: string[],
  { env, cwd, progress, print }: CommandContext,
): Promise<void>;
