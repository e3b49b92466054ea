/** What `npm start` runs. */
export const serverFile: string;
/** Runs servers for tests. */
export const testHostFile: string;
/** `npm run purse`, for tests. */
export const testCliFile: string;
/** Starts servers that cannot start, for a test. */
export const failingStartFile: string;
/** The built documentation site. */
export const docsSite: string;
/** Builds the documentation site if its sources have changed. */
export function ensureDocsBuilt(): void;
/** Builds each app whose sources have changed since its last build. */
export function ensureAppsBuilt(): void;
/** Bundles the server if its sources have changed since the last build. */
export function ensureServerBuilt(): void;
/** Bundles the programs of tests in the same way. */
export function ensureTestHostBuilt(): void;
/** Bundles all that tests run. */
export function ensureServersBuilt(): void;
/** Builds something if its sources have changed since its last build, or if the product is missing. */
export function ensureBuilt(name: string, sources: string[], product: string, build: () => void): void;
/** The packages as `npm publish` would send them, each in a file such as `purse-client-0.1.0.tgz`. */
export const tarballs: string;
/** Builds and packs the packages if their sources have changed since the last build. */
export function ensurePackagesBuilt(): void;
