/**
 * Runs a program as a child, and again when a file changes. If the first run ends by itself, this process ends with its
 * exit code, so that what was started beside it can end, too; a later one waits for the next change of the file.
 */
export function executeWatched(command: string, args: string[], env: NodeJS.ProcessEnv, file: string): void;
