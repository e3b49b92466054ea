import { spawn } from "node:child_process";

/**
 * Runs another program in place of this process, so that no process waits beside it. Where Node.js cannot do that (before
 * 22.15, on Windows), it is a child that gets this process's signals and ends it with its own exit code.
 */
export function execute(command, args, env) {
  if (process.execve && process.platform !== "win32") process.execve(command, [command, ...args], env);
  const child = spawn(command, args, { stdio: "inherit", env });
  // A terminal's Ctrl-C reaches the child by itself; signals from elsewhere are handed on.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
