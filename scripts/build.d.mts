/** Builds the app if its sources have changed since the last build. */
export function ensureAppBuilt(): void;
