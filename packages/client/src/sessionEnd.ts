import { createListeners } from "./listeners.ts";

const listeners = /* @__PURE__ */ createListeners();

/**
 * Calls back when the server does not know the session any more that a call was made with (209): it has expired, or
 * was ended elsewhere. Returns the way to stop it.
 */
export function onSessionEnd(listener: () => void): () => void {
  return listeners.add(listener);
}

export function sessionHasEnded(): void {
  listeners.call();
}
