/** Runs a task while no other process runs one with the same lock file. */
export function inTurn<T>(lock: string, task: () => T): T;
/** The same for a task that takes its time, without blocking this process. */
export function inTurnAsync<T>(lock: string, task: () => Promise<T>): Promise<T>;
