/** Returns the path of a working Chromium. Throws Error if there is none. */
export function ensureChromium(): string;
/** Whether tests can use a browser; `npm test` says at its end if they could not. */
export function hasChromium(): boolean;
