import { createListeners } from "./listeners.ts";

const listeners = /* @__PURE__ */ createListeners();

/**
 * Calls back when the server rejects the session of a call (209): it has expired, or
 * was revoked. Returns a function that unsubscribes.
 */
export function onSessionEnd(listener: () => void): () => void {
  return listeners.add(listener);
}

export function notifySessionEnd(): void {
  listeners.call();
}
