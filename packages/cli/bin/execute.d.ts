/**
 * Runs another program in place of this process, so that no process waits beside it. Where Node.js cannot do that (before
 * 22.15, on Windows), it is a child that gets this process's signals and ends it with its own exit code.
 */
export function execute(command: string, args: string[], env: NodeJS.ProcessEnv): void;
