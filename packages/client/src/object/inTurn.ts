import type { AnyObject } from "./AnyObject.ts";

/**
 * Runs a task after all pending tasks of the objects, immediately if there are none. Later tasks
 * wait for it.
 */
export function inTurn<T>(objects: readonly AnyObject[], task: () => Promise<T>): Promise<T> {
  const states = objects.map(({ _state }) => _state);
  const before = states.flatMap(({ queue }) => queue ?? []);
  const turn = before.length > 0 ? Promise.all(before).then(task) : task();
  const done = (): void => {
    for (const state of states) if (state.queue === settled) state.queue = undefined;
  };
  const settled = turn.then(done, done);
  for (const state of states) state.queue = settled;
  return turn;
}
