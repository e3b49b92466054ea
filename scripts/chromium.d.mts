/** Returns the path of a working Chromium. */
export function ensureChromium(): string;
