import { isSingleInstance } from "./singleInstanceMode.ts";
import type { ObjectState } from "./state.ts";

/*
 * In pages, all instances of one object share its data: changes of one are visible in the others.
 * On a server callers must not see each other's changes, so there every instance has its own data.
 */

const states = new Map<string, WeakRef<ObjectState>>();
const collected = /* @__PURE__ */ new FinalizationRegistry((key: string) => {
  if (!states.get(key)?.deref()) states.delete(key);
});

/** The state of an object with this id: that of its other instances, or else its own. */
export function stateOf(className: string, id: string, own: ObjectState): ObjectState {
  if (!isSingleInstance()) return own;
  const key = `${className}/${id}`;
  const known = states.get(key)?.deref();
  if (known === own) return own;
  if (known) {
    known.mergeOperations(own);
    return known;
  }
  states.set(key, new WeakRef(own));
  collected.register(own, key);
  return own;
}

/** Clears all shared state. */
export function clearInstances(): void {
  states.clear();
}
