import type { AnyObject } from "./AnyObject.ts";

/**
 * Runs a task when nothing else is under way with any of the objects, at once where nothing is, and lets nothing start
 * before it is done.
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
