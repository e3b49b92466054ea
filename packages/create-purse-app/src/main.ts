/* The program that creates apps. */
import { CreateError, UsageError } from "./createError.ts";
import { installDependencies, packageManager } from "./packageManager.ts";
import { freePorts } from "./ports.ts";
import { runProgram } from "./program.ts";
import { CanceledError, terminalQuestions } from "./questions.ts";

const manager = packageManager();

await runProgram(process.argv.slice(2), {
  cwd: process.cwd(),
  questions: process.stdin.isTTY && process.stdout.isTTY ? terminalQuestions : undefined,
  manager,
  install: (folder) => installDependencies(manager, folder),
  freePorts,
  print: (text) => console.log(text),
}).catch((error: unknown) => {
  process.exitCode = isUsageError(error) ? 2 : 1;
  if (error instanceof CanceledError) return;
  if (!(error instanceof CreateError || isUsageError(error))) throw error;
  console.error(`create-purse-app: ${error instanceof Error ? error.message : String(error)}`);
});

/** Whether the arguments are wrong, also those that Node.js has parsed. */
function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
