import { sharesInstances } from "./sharing.ts";
import type { ObjectState } from "./state.ts";

/*
 * In pages, all instances of one object share its data: what one of them sets or fetches the others have too.
 * A server's callers must not see one another's changes, so there every instance is on its own.
 */

const states = new Map<string, WeakRef<ObjectState>>();
const collected = /* @__PURE__ */ new FinalizationRegistry((key: string) => {
  if (!states.get(key)?.deref()) states.delete(key);
});

/** The state of an object that has got its id: the one that its other instances have, or else its own. */
export function stateOf(className: string, id: string, own: ObjectState): ObjectState {
  if (!sharesInstances()) return own;
  const key = `${className}/${id}`;
  const known = states.get(key)?.deref();
  if (known === own) return own;
  if (known) {
    known.adopt(own);
    return known;
  }
  states.set(key, new WeakRef(own));
  collected.register(own, key);
  return own;
}

/** Forgets what instances share. */
export function forgetInstances(): void {
  states.clear();
}
