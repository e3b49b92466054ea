const listeners = new Set<() => void>();

/**
 * Calls back when the server does not know the session any more that a call was made with (209): it has expired, or
 * was ended elsewhere. Returns the way to stop it.
 */
export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function sessionHasEnded(): void {
  for (const listener of [...listeners]) listener();
}
