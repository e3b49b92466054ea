const hooks = new Set<() => void | Promise<void>>();

/** Runs before every log-out; the wallet is put away so. Returns the way to take it back. */
export function beforeLogOut(hook: () => void | Promise<void>): () => void {
  hooks.add(hook);
  return () => void hooks.delete(hook);
}

export async function runLogOutHooks(): Promise<void> {
  for (const hook of [...hooks]) await hook();
}
