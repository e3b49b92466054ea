/** Builds the app where a source of it has changed since the last time. */
export function ensureAppBuilt(): void;
