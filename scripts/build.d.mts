/** What `npm start` runs. */
export const serverFile: string;
/** Runs servers for tests. */
export const testHostFile: string;
/** Builds each app whose sources have changed since its last build. */
export function ensureAppsBuilt(): void;
/** Bundles the server if its sources have changed since the last build. */
export function ensureServerBuilt(): void;
/** Bundles the process that runs servers for tests in the same way. */
export function ensureTestHostBuilt(): void;
