import { spawn } from "node:child_process";
import { watchFile } from "node:fs";

/** How often the file is looked at, in ms: watching it by the system misses files that editors replace. */
const INTERVAL_MS = 300;

/**
 * Runs a program as a child, and again when a file changes. If the first run ends by itself, this process ends with its
 * exit code, so that what was started beside it can end, too; a later one waits for the next change of the file.
 */
export function executeWatched(command, args, env, file) {
  let child = run();
  let isFirst = true;
  let isReplaced = false;

  function run() {
    const started = spawn(command, args, { stdio: "inherit", env });
    started.on("exit", (code, signal) => {
      if (isReplaced) {
        isReplaced = false;
        child = run();
      } else if (isFirst || isStopping) process.exit(code ?? (signal ? 1 : 0));
      else console.error(`Waiting for a change of ${file} …`);
    });
    return started;
  }

  let isStopping = false;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // A terminal's Ctrl-C reaches the child by itself; signals from elsewhere are handed on.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      isStopping = true;
      if (hasEnded()) process.exit(0);
      if (signal !== "SIGINT") child.kill(signal);
    });
  watchFile(file, { interval: INTERVAL_MS }, () => {
    if (isStopping) return;
    isFirst = false;
    if (hasEnded()) child = run();
    else {
      isReplaced = true;
      child.kill("SIGTERM");
    }
  });
}
