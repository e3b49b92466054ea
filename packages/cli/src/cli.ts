/*
 * The program behind `npm run purse -- …`: data out and in, API keys, types of the classes. It reads the same
 * settings as the server.
 */
import { terminalProgress } from "@purse/server";
import { CommandFailedError, runCommand } from "./commands.ts";
import { UsageError } from "./usageError.ts";

const progress = terminalProgress(process.stderr);

await runCommand(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  progress,
  print: (text) => process.stdout.write(`${text}\n`),
}).catch((error: unknown) => {
  progress.done();
  if (!(error instanceof CommandFailedError))
    process.stderr.write(`purse: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = isUsageError(error) ? 2 : 1;
});

/** Whether the arguments are wrong, also those that Node.js has parsed. */
function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
