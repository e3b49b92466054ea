const hooks = new Set<() => void | Promise<void>>();

/** Runs before every logout, for example to disconnect the wallet. Returns a function that removes the hook. */
export function beforeLogOut(hook: () => void | Promise<void>): () => void {
  hooks.add(hook);
  return () => void hooks.delete(hook);
}

export async function runLogOutHooks(): Promise<void> {
  for (const hook of [...hooks]) await hook();
}
