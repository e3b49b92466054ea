/** What `npm start` runs. */
export const serverFile: string;
/** Builds the app if its sources have changed since the last build. */
export function ensureAppBuilt(): void;
/** Bundles the server if its sources have changed since the last build. */
export function ensureServerBuilt(): void;
