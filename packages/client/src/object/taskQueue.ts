import type { AnyObject } from "./AnyObject.ts";

/**
 * Runs a task after all pending tasks of the objects, immediately if there are none. Later tasks
 * wait for it.
 */
export function enqueue<T>(objects: readonly AnyObject[], task: () => Promise<T>): Promise<T> {
  const states = objects.map(({ _state }) => _state);
  const pending = states.flatMap(({ queue }) => queue ?? []);
  const result = pending.length > 0 ? Promise.all(pending).then(task) : task();
  const release = (): void => {
    for (const state of states) if (state.queue === settled) state.queue = undefined;
  };
  const settled = result.then(release, release);
  for (const state of states) state.queue = settled;
  return result;
}
