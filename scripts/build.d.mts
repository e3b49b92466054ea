/** What `npm start` runs. */
export const serverFile: string;
/** Builds each app whose sources have changed since its last build. */
export function ensureAppsBuilt(): void;
/** Bundles the server if its sources have changed since the last build. */
export function ensureServerBuilt(): void;
