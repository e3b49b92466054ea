import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { type CommandContext, runCommand } from "@purse/cli";
import { testCliFile } from "../../scripts/build.mjs";

const ROOT = resolve(import.meta.dirname, "../..");

export interface CommandResult {
  code: number;
  output: string;
}

/** Executes `npm run purse -- …` in this process; returns its output and exit code. */
export async function purseCommand(
  args: string[],
  env: Record<string, string>,
  more: Partial<Pick<CommandContext, "print" | "signal">> = {},
): Promise<CommandResult> {
  const lines: string[] = [];
  const context: CommandContext = {
    env: { ...process.env, ...env },
    cwd: ROOT,
    progress: { report: () => undefined, done: () => undefined },
    print: (text: string) => void lines.push(text),
    ...more,
  };
  try {
    await runCommand(args, context);
    return { code: 0, output: lines.join("\n") };
  } catch (error) {
    lines.push(`purse: ${error instanceof Error ? error.message : String(error)}`);
    return { code: 1, output: lines.join("\n") };
  }
}

/** The same in a process of its own, bundled as it is published. */
export function purseProgram(args: string[], env: Record<string, string>): Promise<CommandResult> {
  return new Promise((done) => {
    execFile(
      join(ROOT, "node_modules/.bin/node"),
      [testCliFile, ...args],
      { env: { ...process.env, ...env }, cwd: ROOT },
      (error, stdout, stderr) => done({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}
